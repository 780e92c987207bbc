// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import MiddlewareTestSupport
import Testing

@Suite struct AuthorizationMiddlewareTests {
    private let handling = Handling(
        AuthorizationMiddleware(
            AuthorizationPolicy(for: Ping.self, sentBy: User.self) { user, _ in user.isAdministrator }
        )
    )

    private nonisolated(nonsending) func handle(
        for principal: (any Principal)?,
        in handling: Handling? = nil
    ) async throws -> Int {
        let handling = handling ?? self.handling
        return try await MessageContext.withPrincipal(principal) { try await handling.handle { _ in 1 } }
    }

    @Test func anAllowedPrincipalCanSendTheMessage() async throws {
        #expect(try await handle(for: User("ada", isAdministrator: true)) == 1)
    }

    @Test func aMessageWithoutAPrincipalIsRefused() async throws {
        let error = try await #require(throws: AuthorizationError.self) { try await handle(for: nil) }

        #expect(error.code == .unauthenticated)
        #expect(error.principalID == nil)
        #expect(error.messageType == "MiddlewareTestSupport.Ping")
        #expect(
            error.description.hasPrefix("'MiddlewareTestSupport.Ping' requires a principal, and was sent without one."))
    }

    @Test func aDeniedMessageIsRefusedWithTheNameOfThePrincipalAndWithoutThePayload() async throws {
        let error = try await #require(throws: AuthorizationError.self) { try await handle(for: User("bob")) }

        #expect(error.code == .denied)
        #expect(error.codeName == "denied")
        #expect(error.principalID == "bob")
        var dumped = ""
        dump(error, to: &dumped)
        for text in [error.description, String(reflecting: error), dumped] {
            #expect(text.contains("MiddlewareTestSupport.Ping") && text.contains("bob"))
            #expect(!text.contains(Ping().secret))
        }
    }

    @Test func aPrincipalOfAnotherTypeIsRefused() async throws {
        struct Job: Principal { let principalID = "job" }

        let error = try await #require(throws: AuthorizationError.self) { try await handle(for: Job()) }

        #expect(error.code == .denied)
    }

    @Test func aTypeWithoutAPolicyPassesThrough() async throws {
        #expect(try await handling.handle(Pong()) { _ in 1 } == 1)
    }

    @Test func aPolicyReceivesTheMessage() async throws {
        let handling = Handling(
            AuthorizationMiddleware(AuthorizationPolicy(for: Ping.self) { $0.principalID == $1.secret })
        )

        #expect(try await handle(for: User(Ping().secret), in: handling) == 1)
        await #expect(throws: AuthorizationError.self) { try await handle(for: User("bob"), in: handling) }
    }

    @Test(arguments: [(true, true, true), (true, false, false), (false, true, false)])
    func ofSeveralPoliciesAllMustAllowIt(first: Bool, second: Bool, isAllowed: Bool) async throws {
        let handling = Handling(
            AuthorizationMiddleware(
                AuthorizationPolicy(for: Ping.self) { _, _ in first },
                AuthorizationPolicy(for: Ping.self) { _, _ in second }
            )
        )

        let answer = try? await handle(for: User("ada"), in: handling)

        #expect((answer == 1) == isAllowed)
    }

    @Test func aPolicyWithoutAConditionAllowsAllPrincipalsOfItsType() async throws {
        let handling = Handling(AuthorizationMiddleware(AuthorizationPolicy(for: Ping.self, sentBy: User.self)))

        #expect(try await handle(for: User("bob"), in: handling) == 1)
        await #expect(throws: AuthorizationError.self) { try await handle(for: nil, in: handling) }
    }

    // MARK: Messages without a policy

    @Test(arguments: [nil, "ada"])
    func theFallbackRefusesAllMessagesWithoutAPolicy(principalID: String?) async throws {
        let handling = Handling(
            AuthorizationMiddleware(
                withoutPolicy: .refuse,
                AuthorizationPolicy(for: Pong.self) { _, _ in true }
            )
        )

        let error = try await #require(throws: AuthorizationError.self) {
            try await handle(for: principalID.map { User($0, isAdministrator: true) }, in: handling)
        }

        #expect(error.code == .noPolicy)
        #expect(error.codeName == "noPolicy")
        #expect(error.principalID == principalID)
        #expect(
            error.message == """
                'MiddlewareTestSupport.Ping' has no policy, and messages without a policy are refused. To fix, add \
                'AuthorizationPolicy(for: MiddlewareTestSupport.Ping.self) { … }' to the authorization, or \
                '.open(for: MiddlewareTestSupport.Ping.self)' to allow every sender.
                """
        )
    }

    @Test func theFallbackRefusesAllMessagesIfThereIsNoPolicy() async throws {
        let handling = Handling(AuthorizationMiddleware(withoutPolicy: .refuse))

        for kind in [MessageKind.command, .query] {
            let error = try await #require(throws: AuthorizationError.self) {
                try await handling.handle(Pong(), kind: kind) { _ in 1 }
            }
            #expect(error.code == .noPolicy)
        }
    }

    @Test func aMessageWithAPolicyIsAllowedIfTheFallbackRefuses() async throws {
        let handling = Handling(
            AuthorizationMiddleware(withoutPolicy: .refuse, AuthorizationPolicy(for: Ping.self, sentBy: User.self))
        )

        #expect(try await handle(for: User("ada"), in: handling) == 1)
        let error = try await #require(throws: AuthorizationError.self) { try await handle(for: nil, in: handling) }
        #expect(error.code == .unauthenticated)
    }

    @Test(arguments: [AuthorizationMiddleware.Fallback.pass, .refuse])
    func anOpenMessageIsAllowedWithoutAPrincipal(fallback: AuthorizationMiddleware.Fallback) async throws {
        let handling = Handling(AuthorizationMiddleware(withoutPolicy: fallback, .open(for: Ping.self)))

        #expect(try await handle(for: nil, in: handling) == 1)
        #expect(try await handle(for: User("bob"), in: handling) == 1)
    }

    @Test(arguments: [false, true])
    func anotherPolicyHoldsBesideAnOpenOne(isOpenFirst: Bool) async throws {
        let closed = AuthorizationPolicy(for: Ping.self, sentBy: User.self) { user, _ in user.isAdministrator }
        let policies = isOpenFirst ? [.open(for: Ping.self), closed] : [closed, .open(for: Ping.self)]
        let handling = Handling(AuthorizationMiddleware(policies))

        #expect(try await handle(for: User("ada", isAdministrator: true), in: handling) == 1)
        for principal in [nil, User("bob")] {
            await #expect(throws: AuthorizationError.self) { try await handle(for: principal, in: handling) }
        }
    }

    // MARK: Errors and actors

    @Test func theErrorOfAPolicyRefusesTheMessageUnwrapped() async throws {
        let policy = AuthorizationPolicy(for: Ping.self) { _, _ in throw Failure() }
        let handling = Handling(AuthorizationMiddleware(policy))

        await #expect(throws: Failure()) { try await handle(for: User("ada"), in: handling) }
    }

    @Test @MainActor func policyAndHandlerStayOnTheCallersActor() async throws {
        let answer = Answer("yes")
        let handling = Handling(
            AuthorizationMiddleware(
                AuthorizationPolicy(for: Ping.self) { _, _ in
                    MainActor.assertIsolated()
                    return true
                }
            )
        )

        let returned = try await MessageContext.withPrincipal(User("ada")) {
            try await handling.onMainActor.handle { _ in
                MainActor.assertIsolated()
                return answer
            }
        }

        #expect(returned === answer)
    }
}
