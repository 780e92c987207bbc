// SPDX-License-Identifier: Apache-2.0

public import HeadraceDomain
public import HeadraceStorage

/// The contract of ``HeadraceStorage/EntityStore``, as checks that need no test framework.
///
/// A test runs all checks, each on a new store:
///
/// ```swift
/// @Test(.timeLimit(.minutes(5)), arguments: StoreContract.checks(for: .shared))
/// func keepsTheContract(check: StoreContract.Check) async throws {
///     try await withTemporaryFolder { folder in
///         try await check.run { entities in
///             try SQLiteStore(path: folder.path(of: "store.sqlite"), entities: entities)
///         }
///     }
/// }
/// ```
///
/// Later releases may add checks. Checks that make random changes or run many tasks do the same work in each run: their
/// seeds and counts are fixed.
public enum StoreContract {
    /// Optional properties of a store, which select the checks.
    public struct Capabilities: Sendable {
        /// Whether the store keeps committed changes when it is opened again.
        public var isPersistent: Bool

        /// Whether the store is a `DeliveryStore`, which a relay requires.
        public var keepsDeliveries: Bool

        /// Whether several store objects can be open on the same data at the same time.
        public var isShared: Bool

        /// Maximum number of UTF-8 bytes of a key, a name, or an indexed value, at least 1,000; `nil` for no limit.
        ///
        /// The store must refuse longer texts with the code `tooLong`.
        public var longestKey: Int?

        /// Creates a description of a store, by default of an in-memory store with deliveries.
        public init(
            isPersistent: Bool = false,
            keepsDeliveries: Bool = true,
            isShared: Bool = false,
            longestKey: Int? = nil
        ) {
            self.isPersistent = isPersistent
            self.keepsDeliveries = keepsDeliveries
            self.isShared = isShared
            self.longestKey = longestKey
        }

        /// The store ends with its last reference.
        public static let inMemory = Capabilities()

        /// The store keeps committed changes when it is opened again.
        public static let persistent = Capabilities(isPersistent: true)

        /// The store is persistent, and several store objects can be open on the same data.
        public static let shared = Capabilities(isPersistent: true, isShared: true)
    }

    /// One promise of the contract, and the test of that promise.
    public struct Check: Sendable, CustomStringConvertible {
        /// The promise, in words.
        public let name: String

        let body: nonisolated(nonsending) @Sendable (StoreFixture) async throws -> Void

        init(
            _ name: String,
            _ body: nonisolated(nonsending) @escaping @Sendable (StoreFixture) async throws -> Void
        ) {
            self.name = name
            self.body = body
        }

        /// The name of the check.
        public var description: String { name }

        /// Tests the promise on the store that `openStore` opens.
        ///
        /// Most checks open the store once, and expect it to be empty. Checks for ``Capabilities/isPersistent`` release
        /// the store and open it again, possibly with other entities. It must then contain the committed changes. Checks
        /// for ``Capabilities/isShared`` open the store again while it is open.
        ///
        /// - Parameter openStore: Opens the store of this run for the given types of entity.
        /// - Throws: ``ContractViolation`` if the store breaks the promise. Unexpected errors of `openStore` or of the
        ///   store are rethrown.
        public nonisolated(nonsending) func run(
            _ openStore:
                nonisolated(nonsending) @escaping (_ entities: [any StoredEntity.Type]) async throws -> any EntityStore
        ) async throws {
            try await body(StoreFixture(openStore: openStore))
        }
    }

    /// Returns all checks for a store with these capabilities, in the order in which to implement them.
    public static func checks(for capabilities: Capabilities) -> [Check] {
        let everyStore =
            versionChecks + atomicityChecks + uniquenessChecks + conditionChecks + orderChecks + countChecks
            + closingChecks + enumerationChecks + eventChecks
            + concurrencyChecks + randomChecks + unitOfWorkChecks + nestingChecks + insertionChecks
            + eventSourcingChecks + longTextChecks(for: capabilities)
            + lockChecks(for: capabilities) + (capabilities.isShared ? sharedStoreChecks : [])
            + (capabilities.keepsDeliveries
                ? leaseChecks + clockChecks + unknownMessageChecks + settlementChecks + deadLetterChecks
                    + correctionChecks + replayChecks + pauseChecks(for: capabilities) + pendingDeliveryChecks
                    + operationChecks + attachmentChecks + idempotencyChecks + randomDeliveryChecks + relayChecks
                    + crashLoopChecks + projectionChecks(for: capabilities) : [])
        guard capabilities.isPersistent else { return everyStore }
        return everyStore + persistenceChecks + persistentEventSourcingChecks
            + (capabilities.keepsDeliveries ? [storedCorrection] : [])
    }
}
