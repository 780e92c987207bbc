// SPDX-License-Identifier: Apache-2.0

import HeadraceDomain
import HeadraceResolution
import HeadraceStorage
import Testing

private final class ClosedBooks: StoreDecorator {
    let base: any DeliveryStore

    init(_ base: any DeliveryStore) {
        self.base = base
    }

    func commit(_ changes: ChangeSet) async throws {
        throw StoreError(code: .readOnly, message: "The books are closed. To fix, open the books of next year.")
    }
}

private final class Page: StoredEntity {
    static let entityName = "page"

    let id: Int
    var raisedEvents = RaisedEvents()

    init(id: Int) {
        self.id = id
    }
}

@Suite struct StoreExamples {
    @Test func closedBooksAreReadOnly() async throws {
        let books = try InMemoryStore(entities: [Page.self])
        let delegator = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        try await UnitOfWork(delegator: delegator, context: EntityContext(books)).execute { $0.insert(Page(id: 1)) }
        let closed = ClosedBooks(books)

        let refusal = await #expect(throws: StoreError.self) {
            let unitOfWork = UnitOfWork(delegator: delegator, context: EntityContext(closed))
            try await unitOfWork.execute { $0.insert(Page(id: 2)) }
        }

        #expect(refusal?.code == .readOnly)
        #expect(try await EntityContext(closed).fetch(Page.self).map(\.id) == [1])
    }
}
