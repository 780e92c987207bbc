// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import Testing

private struct Member: Principal {
    let principalID: String
    var isAccountant = false
}

private struct SignIn: CQDCommand {}
private struct CloseBooks: CQDCommand, DurableCommand {
    static let commandName = "close-books"
}
private struct DeleteBooks: CQDCommand {}

private final class SignInHandler: HandlesCommand, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ command: SignIn) async throws {}
}

private final class CloseBooksHandler: HandlesCommand, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ command: CloseBooks) async throws {}
}

private final class DeleteBooksHandler: HandlesCommand, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ command: DeleteBooks) async throws {}
}

@Suite(.timeLimit(.minutes(1))) struct AuthorizationTests {
    private var dispatcher: any CommandQueryDispatcher {
        let builder = ContainerBuilder()
        let authorization = AuthorizationMiddleware(
            withoutPolicy: .refuse,
            .open(for: SignIn.self),
            AuthorizationPolicy(for: CloseBooks.self, sentBy: Member.self) { member, _ in member.isAccountant }
        )
        builder.commandQueryDispatch().standard(
            commandHandlers: [SignInHandler.self, CloseBooksHandler.self, DeleteBooksHandler.self],
            middleware: [authorization]
        )
        return builder.build().resolve()
    }

    @Test func anAccountantClosesTheBooks() async throws {
        let dispatcher = dispatcher

        try await MessageContext.withPrincipal(Member(principalID: "ada", isAccountant: true)) {
            try await dispatcher.dispatch(CloseBooks())
        }
        try await dispatcher.dispatch(SignIn())
    }

    @Test func eachRefusalHasACode() async throws {
        func code(of message: some CQDCommand<Void>, sentBy member: Member?) async -> AuthorizationError.Code? {
            do {
                try await MessageContext.withPrincipal(member) { try await dispatcher.dispatch(message) }
                return nil
            } catch {
                return (error as? AuthorizationError)?.code
            }
        }

        #expect(await code(of: CloseBooks(), sentBy: nil) == .unauthenticated)
        #expect(await code(of: CloseBooks(), sentBy: Member(principalID: "bea")) == .denied)
        #expect(await code(of: DeleteBooks(), sentBy: Member(principalID: "ada", isAccountant: true)) == .noPolicy)
    }

    @Test func aScheduledCommandNeedsItsPrincipalAgain() async throws {
        let members = ["ada": Member(principalID: "ada", isAccountant: true)]
        let store = try InMemoryStore(entities: [])
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        let relay = Relay(store: store, registrar: registrar)
        let dispatcher = dispatcher
        let closed = OneShot<String>()
        relay.carryOut(CloseBooks.self) { command in
            let sender = MessageContext.current?.principal?.principalID ?? ""
            try await MessageContext.withPrincipal(members[sender]) {
                try await dispatcher.dispatch(command)
            }
            closed.set(sender)
        }
        try await MessageContext.withPrincipal(members["ada"]) {
            try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
                _ = try context.schedule(CloseBooks(), at: Date(timeIntervalSince1970: 0))
            }
        }

        async let running: Void = relay.run()
        #expect(try await closed.wait() == "ada")
        relay.shutDown()
        try await running
    }
}
