// SPDX-License-Identifier: Apache-2.0

import HeadraceCommands
import HeadraceCore
import HeadraceResolution
import Testing

@Suite struct DispatchScopingTests {
    @Test(arguments: [[], [PassThrough()]] as [[any Middleware]])
    func byDefaultAllDispatchesOfADispatcherShareScopedObjects(middleware: [any Middleware]) async throws {
        let contracts = container(commandHandlers: [NoteHandler.self], middleware: middleware)

        let tenants = try await tenants(ofTwoDispatchesIn: contracts)

        #expect(tenants[0] === tenants[1])
        #expect(tenants[0] === contracts.resolve(Tenant.self))
    }

    @Test(arguments: [[], [PassThrough()]] as [[any Middleware]])
    func perDispatchEachDispatchHasItsScopedObjects(middleware: [any Middleware]) async throws {
        let contracts = container(
            commandHandlers: [NoteHandler.self],
            middleware: middleware,
            scoping: .perDispatch
        )

        let tenants = try await tenants(ofTwoDispatchesIn: contracts)

        #expect(tenants[0] !== tenants[1])
        #expect(!tenants.contains { $0 === contracts.resolve(Tenant.self) })
    }

    @Test func perDispatchAllObjectsOfOneDispatchShareScopedObjects() async throws {
        let contracts = container(queryHandlers: [TwoTenantsHandler.self], scoping: .perDispatch)

        let (first, second) = try await contracts.resolve((any CommandQueryDispatcher).self).dispatch(TwoTenants())

        #expect(first === second)
    }

    @Test func perDispatchSingletonsStayThoseOfTheContainer() async throws {
        let contracts = container(commandHandlers: [NoteHandler.self], scoping: .perDispatch)

        try await contracts.resolve((any CommandQueryDispatcher).self).dispatch(Note(text: "one"))

        #expect(contracts.resolve(Journal.self).entries == ["note one"])
    }

    @Test func perDispatchANestedDispatchHasAScopeOfItsOwn() async throws {
        let contracts = container(
            commandHandlers: [NoteHandler.self, NoteAgainHandler.self],
            scoping: .perDispatch
        )

        try await contracts.resolve((any CommandQueryDispatcher).self).dispatch(NoteAgain())

        let tenants = contracts.resolve(Tenants.self).all
        #expect(tenants.count == 2)
        #expect(tenants[0] !== tenants[1])
    }

    @Test func perDispatchSeveralAttemptsShareOneScope() async throws {
        let contracts = container(
            commandHandlers: [FailHandler.self],
            middleware: [Retrying(attempts: 2)],
            scoping: .perDispatch
        )
        let dispatcher: any CommandQueryDispatcher = contracts.resolve()

        await #expect(throws: FailHandler.Failure.self) { try await dispatcher.dispatch(Fail()) }

        let tenants = contracts.resolve(Tenants.self).all
        #expect(tenants.count == 2)
        #expect(tenants[0] === tenants[1])
    }

    @Test func aScopePerDispatchLivesAsLongAsTheHandlingAndNoLonger() async throws {
        weak var scope: (any DependencyResolutionScope)?
        let contracts = container(queryHandlers: [ScopeHandler.self], scoping: .perDispatch)
        let dispatcher: any CommandQueryDispatcher = contracts.resolve()

        let kept = try await dispatcher.dispatch(GetScope())
        scope = kept.scope

        #expect(kept.wasAlive)
        #expect(scope == nil)
    }

    private func tenants(ofTwoDispatchesIn contracts: Container) async throws -> [Tenant] {
        let dispatcher: any CommandQueryDispatcher = contracts.resolve()
        try await dispatcher.dispatch(Note(text: "one"))
        try await dispatcher.dispatch(Note(text: "two"))
        return contracts.resolve(Tenants.self).all
    }
}

private struct TwoTenants: CQDQuery {
    typealias Value = (Tenant, Tenant)
}

private final class TwoTenantsHandler: HandlesQuery, Resolvable {
    private let first: Tenant
    private let second: Tenant

    init(scope: any DependencyResolutionScope) {
        first = scope.resolve()
        second = scope.resolve()
    }

    func handle(_ query: TwoTenants) async throws -> (Tenant, Tenant) { (first, second) }
}

private struct NoteAgain: CQDCommand {}

private final class NoteAgainHandler: HandlesCommand, Resolvable {
    private let dispatcher: any CommandQueryDispatcher
    private let tenants: Tenants

    init(scope: any DependencyResolutionScope) {
        dispatcher = scope.resolve()
        tenants = scope.resolve()
        tenants.saw(scope.resolve())
    }

    func handle(_ command: NoteAgain) async throws {
        try await dispatcher.dispatch(Note(text: "again"))
    }
}

private struct Fail: CQDCommand {}

private final class FailHandler: HandlesCommand, Resolvable {
    struct Failure: Error {}

    init(scope: any DependencyResolutionScope) {
        scope.resolve(Tenants.self).saw(scope.resolve())
    }

    func handle(_ command: Fail) async throws { throw Failure() }
}

private struct GetScope: CQDQuery {
    typealias Value = ScopeHandler.Seen
}

/// Refers to its scope, but does not keep it.
private final class ScopeHandler: HandlesQuery, Resolvable {
    struct Seen {
        weak var scope: (any DependencyResolutionScope)?
        let wasAlive: Bool
    }

    private weak let scope: (any DependencyResolutionScope)?

    init(scope: any DependencyResolutionScope) {
        self.scope = scope
    }

    func handle(_ query: GetScope) async throws -> Seen {
        Seen(scope: scope, wasAlive: scope != nil)
    }
}
