// SPDX-License-Identifier: Apache-2.0

#if Macros
import Headrace
import HeadraceDomain
import HeadraceResolution
import HeadraceStorage
import Testing

private final class Order: StoredEntity {
    static let entityName = "order"

    let id: String
    var raisedEvents = RaisedEvents()

    init(placing id: String) {
        self.id = id
        raiseEvent(OrderPlaced(order: id))
    }
}

private struct OrderPlaced: DomainEvent {
    let order: String
}

@Resolvable
private struct RefreshBoard: HandlesDomainEvent {
    static let isPostCommit = true

    private let board: Board

    func handle(_ event: OrderPlaced) async throws {
        board.show(event.order)
    }
}

@Resolvable
private struct FailAfterTheCommit: HandlesDomainEvent {
    static let isPostCommit = true

    func handle(_ event: OrderPlaced) async throws {
        throw Offline()
    }
}

@Resolvable
private struct RefuseOrders: HandlesDomainEvent {
    func handle(_ event: OrderPlaced) async throws {
        throw Offline()
    }
}

private struct Offline: Error {}

private struct Board: Sendable {
    let notes = Notes()

    func show(_ order: String) {
        notes.note(order)
    }
}

@Suite struct PostCommitHandlersTests {
    private let store: InMemoryStore
    private let board = Board()
    private let registrar: DomainEventHandlerRegistrar

    init() throws {
        store = try InMemoryStore(entities: [Order.self])
        let services = ServiceLocator()
        services.register(board)
        registrar = DomainEventHandlerRegistrar(resolver: services)
    }

    @Test func theBoardShowsAnOrderAfterItsCommit() async throws {
        registrar.register(RefreshBoard.self)

        let unitOfWork = UnitOfWork(delegator: registrar, context: EntityContext(store))
        try await unitOfWork.execute { context in
            context.insert(Order(placing: "7"))
        }

        #expect(board.notes.all == ["7"])
    }

    @Test func aRolledBackOrderIsNotShown() async throws {
        registrar.register(RefuseOrders.self)
        registrar.register(RefreshBoard.self)

        await #expect(throws: Offline.self) {
            try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
                context.insert(Order(placing: "7"))
            }
        }

        #expect(board.notes.all == [])
    }

    @Test func aFailureChangesNothingAndStopsNoOtherHandler() async throws {
        registrar.register(FailAfterTheCommit.self)
        registrar.register(RefreshBoard.self)

        try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
            context.insert(Order(placing: "7"))
        }

        #expect(board.notes.all == ["7"])
        #expect(try await EntityContext(store).find(Order.self, id: "7") != nil)
    }
}
#endif
