// SPDX-License-Identifier: Apache-2.0

#if Simulation
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceProcesses
import HeadraceRelay
import HeadraceResolution
import HeadraceSimulation
import HeadraceStorage

/// A bank with a mailer, for simulations.
enum Bank {
    static let entities: [any StoredEntity.Type] = [BankAccount.self]

    static func makeContainer(store: any DeliveryStore, mailer: any Mailer) -> Container {
        let builder = ContainerBuilder()
        builder.singleton((any Mailer).self) { mailer }
        builder.domain(store: store, handlers: [SendMail.self])
        builder.commandQueryDispatch().standard(
            commandHandlers: [TransferHandler.self],
            middleware: [RetryMiddleware()],
            resolvedMiddleware: [IdempotencyMiddleware.self]
        )
        return builder.build()
    }
}

protocol Mailer: Sendable {
    func send(_ text: String, key: String) async throws
}

struct SimulatedMailer: Mailer {
    let service: SimulatedService

    func send(_ text: String, key: String) async throws {
        try await service.perform("send \(text)", key: key)
    }
}

final class BankAccount: StoredEntity {
    static let entityName = "account"

    let id: String
    var cents: Int
    var raisedEvents = RaisedEvents()

    init(id: String, cents: Int) {
        self.id = id
        self.cents = cents
    }
}

struct Transferred: DurableDomainEvent {
    static let eventName = "transferred"

    var id: String
    var to: String
    var cents: Int
}

struct Transfer: CQDCommand, IdempotentMessage, Codable {
    let id: String
    let from: String
    let to: String
    let cents: Int

    var idempotencyKey: String { id }
}

struct TransferHandler: HandlesCommand, Resolvable {
    static var dependencies: Dependencies { Dependencies().on(UnitOfWork<EntityContext>.self) }

    private let unitOfWork: UnitOfWork<EntityContext>

    init(scope: any DependencyResolutionScope) {
        unitOfWork = scope.resolve()
    }

    func handle(_ command: Transfer) async throws {
        try await unitOfWork.execute { context in
            guard let from = try await context.find(BankAccount.self, id: command.from),
                let to = try await context.find(BankAccount.self, id: command.to)
            else { return }
            from.cents -= command.cents
            to.cents += command.cents
            from.raiseEvent(Transferred(id: command.id, to: command.to, cents: command.cents))
        }
    }
}

final class SendMail: HandlesDurableDomainEvent, Resolvable {
    static let subscriptionName = "mail"
    static var dependencies: Dependencies { Dependencies().on((any Mailer).self) }

    private let mailer: any Mailer

    init(scope: any DependencyResolutionScope) {
        mailer = scope.resolve()
    }

    func handle(_ event: Transferred) async throws {
        try await mailer.send("\(event.cents) to \(event.to) for \(event.id)", key: event.id)
    }
}
#endif
