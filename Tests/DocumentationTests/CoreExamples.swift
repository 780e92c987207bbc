// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCommands
import HeadraceCore
import HeadraceFlux
import HeadraceResilience
import HeadraceResolution
import HeadraceServices
import Testing

// MARK: - Messages

private enum IdentityAction: Action { case logIn(name: String), logOut }

private struct Increment: Action {
    var value = 1

    func execute(with store: CounterStore) async { await store.add(value) }
}

private actor CounterStore: Dispatcher {
    let pipeline = Pipeline()
    private(set) var count = 0

    func add(_ value: Int) { count += value }
}

private struct User: Principal {
    let id: UUID
    var isAdministrator = false
    var principalID: String { id.uuidString }
}

private struct AddSomethingCommand: CQDCommand {}

@Suite struct MessageExamples {
    @Test func aMarkerActionReachesTheServices() async throws {
        let heard = Notes()
        let cluster = try await Bootstrap {
            Group {}
                .observe(on: IdentityAction.self) { heard.note("\($0)") }
        }

        try await cluster.send(action: IdentityAction.logIn(name: "Ada"))
        try await cluster.send(action: IdentityAction.logOut)

        #expect(heard.all == [#"logIn(name: "Ada")"#, "logOut"])
    }

    @Test func anActionOfADispatcherCarriesItsBehavior() async {
        let store = CounterStore()

        await store.dispatch(Increment())
        await store.dispatch(Increment(value: 10))

        #expect(await store.count == 11)
    }

    @Test func theHandlerReadsThePrincipalOfTheCommand() async throws {
        let principals = Notes()
        let builder = ContainerBuilder()
        builder.singleton { principals }
        builder.commandQueryDispatch().standard(
            commandHandlers: [AddSomethingCommandHandler.self],
            middleware: [LoggingMiddleware()]
        )
        let dispatcher: any CommandQueryDispatcher = builder.build().resolve()
        let user = User(id: UUID())

        try await MessageContext.withPrincipal(user) {
            try await dispatcher.dispatch(AddSomethingCommand())
        }

        #expect(principals.all == [user.principalID])
    }
}

private final class AddSomethingCommandHandler: HandlesCommand, Resolvable {
    private let principals: Notes

    init(scope: any DependencyResolutionScope) {
        principals = scope.resolve()
    }

    func handle(_ command: AddSomethingCommand) async throws {
        // in the handler and all functions that it calls, if its dispatcher has middleware
        let principal = MessageContext.current?.principal
        principals.note(principal?.principalID ?? "nobody")
    }
}

// MARK: - Middleware

private struct Announcing: Middleware {
    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        print("handling \(context.typeName)")
        return try await next(message)
    }
}

private protocol Reading {}
private struct ReadEntry: Reading {}
private struct CloseBooks {}
private struct SignIn {}

private struct PostEntry {
    var books = Books()
}

private struct ReadOnly: ActionMiddleware {
    func shouldExecute<Message: Sendable>(_ message: Message, in context: MessageContext) -> Bool {
        message is any Reading
    }
}

private struct Accountant: Principal {
    let principalID: String
}

private struct Clerk: Principal {
    let principalID: String
}

private actor Books {
    func isMember(_ principal: any Principal) -> Bool { principal.principalID == "carl" }
}

private struct DeleteAccount {
    let userID: UUID
}

private var authorization: AuthorizationMiddleware {
    let books = Books()
    return
        AuthorizationMiddleware(
            AuthorizationPolicy(for: CloseBooks.self, sentBy: Accountant.self),
            AuthorizationPolicy(for: PostEntry.self) { principal, _ in await books.isMember(principal) }
        )
}

private var closedAuthorization: AuthorizationMiddleware {
    AuthorizationMiddleware(
        withoutPolicy: .refuse,
        .open(for: SignIn.self),
        AuthorizationPolicy(for: CloseBooks.self, sentBy: Accountant.self)
    )
}

private var deletion: AuthorizationPolicy {
    AuthorizationPolicy(for: DeleteAccount.self, sentBy: User.self) { user, command in
        user.isAdministrator || user.id == command.userID
    }
}

private var limit: RateLimitMiddleware {
    RateLimitMiddleware(100, every: .seconds(60), burst: 20, per: .principal)
}

private var retry: RetryMiddleware {
    RetryMiddleware(maximumAttempts: 5, backoff: Backoff(base: .milliseconds(20)))
}

private var timeout: TimeoutMiddleware {
    TimeoutMiddleware(.seconds(5))
}

private struct ServiceUnavailable: Error {}

extension ServiceUnavailable: RetryableError {
    var isRetryable: Bool { true }
}

private struct Line: Validatable {
    var quantity = 1

    func validate(_ validation: inout Validation) {
        validation.require(quantity > 0, "quantity", "must be positive")
    }
}

private struct PlaceOrder: Validatable {
    var customer: String
    var lines: [Line]

    func validate(_ validation: inout Validation) {
        validation.require(!customer.isEmpty, "customer", "must not be empty")
        for (index, line) in lines.enumerated() {
            validation.validate(line, at: "lines[\(index)]")
        }
    }
}

@Suite struct MiddlewareExamples {
    /// Sends `message` through `middleware` as `principal`.
    private func send(
        _ message: some Sendable,
        through middleware: any Middleware,
        as principal: (any Principal)? = nil,
        handler: nonisolated(nonsending) @escaping () async throws -> Void = {}
    ) async throws {
        let chain = MiddlewareChain(middleware: [middleware])
        try await MessageContext.withPrincipal(principal) {
            try await chain.run(message, kind: .command) { _ in try await handler() }
        }
    }

    @Test func middlewareAnnouncesEachMessage() async throws {
        let lines = try await printed {
            try await send(CloseBooks(), through: Announcing())
        }

        #expect(lines == ["handling DocumentationTests.CloseBooks"])
    }

    @Test func anInvalidMessageIsRefused() async throws {
        try await send(ReadEntry(), through: ReadOnly())

        let error = await #expect(throws: MessageError.self) { try await send(CloseBooks(), through: ReadOnly()) }
        #expect(error?.code == .refused)
    }

    @Test func onlyAuthorizedPrincipalsSendAMessage() async throws {
        let (ada, carl) = (Accountant(principalID: "ada"), Clerk(principalID: "carl"))

        try await send(CloseBooks(), through: authorization, as: ada)
        try await send(PostEntry(), through: authorization, as: carl)
        try await send(SignIn(), through: authorization, as: nil)

        await #expect(throws: AuthorizationError.self) {
            try await send(CloseBooks(), through: authorization, as: carl)
        }
        await #expect(throws: AuthorizationError.self) { try await send(PostEntry(), through: authorization, as: ada) }
    }

    @Test func aMessageWithoutAPolicyIsRefusedIfConfigured() async throws {
        let ada = Accountant(principalID: "ada")

        try await send(SignIn(), through: closedAuthorization)
        try await send(CloseBooks(), through: closedAuthorization, as: ada)

        let error = await #expect(throws: AuthorizationError.self) {
            try await send(PostEntry(), through: closedAuthorization, as: ada)
        }
        #expect(error?.code == .noPolicy)
    }

    @Test func anAccountIsDeletedByItsUserOrAnAdministrator() async throws {
        let user = User(id: UUID())
        let middleware = AuthorizationMiddleware(deletion)

        try await send(DeleteAccount(userID: user.id), through: middleware, as: user)
        try await send(DeleteAccount(userID: user.id), through: middleware, as: User(id: UUID(), isAdministrator: true))

        await #expect(throws: AuthorizationError.self) {
            try await send(DeleteAccount(userID: user.id), through: middleware, as: User(id: UUID()))
        }
    }

    @Test func theRateLimitAppliesToEachSender() async throws {
        let limit = limit
        var passed = 0

        // The next message is allowed after 0.6 seconds, which is longer than a slow machine needs here.
        let error = await #expect(throws: RateLimitError.self) {
            while passed < 10_000 {
                try await send(CloseBooks(), through: limit, as: Accountant(principalID: "ada"))
                passed += 1
            }
        }

        #expect(passed >= 20)
        #expect(error?.isRetryable == true)
        try await send(CloseBooks(), through: limit, as: Accountant(principalID: "bea"))
    }

    @Test func onlyRetryableErrorsAreRetried() async throws {
        struct Refusal: Error {}
        let attempts = Notes()

        await #expect(throws: Refusal.self) {
            try await send(CloseBooks(), through: retry) {
                attempts.note("attempt")
                throw Refusal()
            }
        }

        #expect(attempts.all.count == 1)
        #expect(ServiceUnavailable().isRetryable)
    }

    @Test func aMessageWithinItsTimeoutSucceeds() async throws {
        let handled = Notes()

        try await send(CloseBooks(), through: timeout) { handled.note("handled") }

        #expect(handled.all == ["handled"])
    }

    @Test func eachFailureNamesItsSource() {
        var validation = Validation()

        PlaceOrder(customer: "", lines: [Line(), Line(quantity: 0)]).validate(&validation)

        #expect(
            validation.failures.map(\.description) == [
                "customer: must not be empty", "lines[1].quantity: must be positive",
            ]
        )
    }
}
