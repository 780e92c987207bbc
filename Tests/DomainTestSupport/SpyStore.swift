// SPDX-License-Identifier: Apache-2.0

package import HeadraceDomain
package import HeadraceStorage
import Synchronization

/// A store in memory that records the change sets that it receives.
package final class SpyStore: EntityStore {
    private let base: InMemoryStore
    private let given = Mutex<[ChangeSet]>([])

    package var schema: EntitySchema { base.schema }

    /// The change sets, including refused change sets.
    package var commits: [ChangeSet] { given.withLock { $0 } }

    package init(entities: [any StoredEntity.Type] = [Customer.self, Order.self]) throws {
        base = try InMemoryStore(entities: entities)
    }

    package func find(_ reference: EntityReference) async throws -> StoredDocument? {
        try await base.find(reference)
    }

    package func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        try await base.fetch(query)
    }

    package func commit(_ changes: ChangeSet) async throws {
        given.withLock { $0.append(changes) }
        try await base.commit(changes)
    }

    package func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        try await base.events(after: position, limit: limit)
    }

    package func snapshot() async throws -> any EntityReader { try await base.snapshot() }

    package func close() throws { try base.close() }

    /// Stores `customers` without a unit of work.
    package func store(_ customers: Customer...) async throws {
        let context = EntityContext(base)
        customers.forEach { context.insert($0) }
        try await context.commit([])
    }

    /// Returns the stored version of a customer.
    package func version(of id: String) async throws -> Int? {
        try await find(EntityReference(kind: Customer.entityName, key: id))?.version
    }
}
