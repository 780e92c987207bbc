//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceDomain
public import HeadraceStorage

/// The contract of ``HeadraceStorage/EntityStore``, as checks that need no test framework.
///
/// A test runs all checks, each on a new store:
///
/// ```swift
/// @Test(.timeLimit(.minutes(5)), arguments: StoreContract.checks(for: .persistent))
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

        /// Creates a description of a store, by default of an in-memory store with deliveries.
        public init(isPersistent: Bool = false, keepsDeliveries: Bool = true) {
            self.isPersistent = isPersistent
            self.keepsDeliveries = keepsDeliveries
        }

        /// The store ends with its last reference.
        public static let inMemory = Capabilities()

        /// The store keeps committed changes when it is opened again.
        public static let persistent = Capabilities(isPersistent: true)
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
        /// the store and open it again, possibly with other entities. It must then contain the committed changes.
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
            versionChecks + atomicityChecks + uniquenessChecks + conditionChecks + orderChecks + eventChecks
            + concurrencyChecks + randomChecks + unitOfWorkChecks + nestingChecks + insertionChecks
            + (capabilities.keepsDeliveries
                ? leaseChecks + clockChecks + unknownMessageChecks + settlementChecks + deadLetterChecks + replayChecks
                    + attachmentChecks + idempotencyChecks + randomDeliveryChecks + relayChecks + crashLoopChecks : [])
        return capabilities.isPersistent ? everyStore + persistenceChecks : everyStore
    }
}
