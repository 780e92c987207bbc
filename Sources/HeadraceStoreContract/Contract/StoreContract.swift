//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceDomain
public import HeadraceStorage

/// What every ``HeadraceStorage/EntityStore`` promises, as checks that need no test framework.
///
/// A driver runs them all, each on a store of its own:
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
/// Later releases may add checks. Those that make random changes or run many tasks do the same work in each
/// run: their seeds and counts are fixed.
public enum StoreContract {
    /// What a store promises beyond the contract; the checks follow it.
    public struct Capabilities: Sendable {
        /// Whether the store holds, when it is opened again, what was committed before.
        public var isPersistent: Bool

        /// Whether the store is a `DeliveryStore`, on which a relay works.
        public var keepsDeliveries: Bool

        /// Creates the description of a store; one that ends with the process and keeps deliveries unless stated.
        public init(isPersistent: Bool = false, keepsDeliveries: Bool = true) {
            self.isPersistent = isPersistent
            self.keepsDeliveries = keepsDeliveries
        }

        /// The store ends with its last reference.
        public static let inMemory = Capabilities()

        /// The store holds what was committed until it is opened again.
        public static let persistent = Capabilities(isPersistent: true)
    }

    /// One claim of the contract, and how it is tried.
    public struct Check: Sendable, CustomStringConvertible {
        /// What is claimed, in words.
        public let name: String

        let body: nonisolated(nonsending) @Sendable (StoreFixture) async throws -> Void

        init(
            _ name: String,
            _ body: nonisolated(nonsending) @escaping @Sendable (StoreFixture) async throws -> Void
        ) {
            self.name = name
            self.body = body
        }

        /// The name.
        public var description: String { name }

        /// Tries the claim on the store that `openStore` opens.
        ///
        /// Most checks open it once; it is empty then. Those of ``Capabilities/isPersistent`` open it again,
        /// possibly with other entities, after they have let go of it: it must hold what was committed.
        ///
        /// - Parameter openStore: Opens the store of this run for the types of entity that it is given.
        /// - Throws: ``ContractViolation`` where the store does otherwise than claimed, and whatever
        ///   `openStore` or the store throws where it should not.
        public nonisolated(nonsending) func run(
            _ openStore:
                nonisolated(nonsending) @escaping (_ entities: [any StoredEntity.Type]) async throws -> any EntityStore
        ) async throws {
            try await body(StoreFixture(openStore: openStore))
        }
    }

    /// All checks that a store with these capabilities must pass, in the order in which a driver is best written.
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
