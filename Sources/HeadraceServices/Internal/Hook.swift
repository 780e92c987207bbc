//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

/// When a hook is called: before the services under it, after them, or after them without a say.
@usableFromInline
enum HookMoment: Sendable { case pre, observe, post }

/// What is done around services.
protocol Hook: Sendable {
    /// The type of the actions for which it is called, or `nil` for all.
    var actionType: (any Action.Type)? { get }

    /// What it does with actions of this type, or `nil` where it does not care.
    func run<A: Action>(for type: A.Type) -> HookRun<A>?

    /// Makes the plan for the actions of its type out of a tree, or `nil` where it has no type.
    func makePlan(of root: Node) -> Plan?
}

/// What a hook does with actions of one type; a structure, since a bare function would be converted at each call.
@usableFromInline
struct HookRun<A: Action>: Sendable {
    let run: nonisolated(nonsending) @Sendable (A, SendFrame, MessageOutcome) async throws -> Void
}

/// A hook for the actions of one type.
struct TypedHook<Wanted: Action>: Hook {
    private let wanted: HookRun<Wanted>

    init(
        at site: PlanSite,
        _ operation: nonisolated(nonsending) @escaping @Sendable (Wanted, MessageOutcome) async throws -> Void
    ) {
        wanted = HookRun { action, frame, outcome in
            try await site.scoped(frame) { try await operation(action, outcome) }
        }
    }

    var actionType: (any Action.Type)? { Wanted.self }

    func run<A: Action>(for type: A.Type) -> HookRun<A>? { wanted as? HookRun<A> }

    func makePlan(of root: Node) -> Plan? { Plan(Step<Wanted>.make(of: root)) }
}

/// A hook for all actions.
struct WildcardHook: Hook {
    private let operation: nonisolated(nonsending) @Sendable (any Action, MessageOutcome) async throws -> Void
    private let site: PlanSite

    init(
        at site: PlanSite,
        _ operation: nonisolated(nonsending) @escaping @Sendable (any Action, MessageOutcome) async throws -> Void
    ) {
        self.site = site
        self.operation = operation
    }

    var actionType: (any Action.Type)? { nil }

    func run<A: Action>(for type: A.Type) -> HookRun<A>? {
        // No capture list: with one, the compiler (6.3) lets a closure leave the caller's actor.
        let (site, operation) = (site, operation)
        return HookRun { action, frame, outcome in
            try await site.scoped(frame) { try await operation(action, outcome) }
        }
    }

    func makePlan(of root: Node) -> Plan? { nil }
}

extension PlanSite {
    /// Runs `operation` so that the services' properties read the environment of this place.
    nonisolated(nonsending) func scoped(
        _ frame: SendFrame,
        _ operation: nonisolated(nonsending) () async throws -> Void
    ) async throws {
        guard let bindings else { return try await operation() }
        try await EnvironmentScope.$current.binding(EnvironmentScope(bindings: bindings, frame: frame), operation)
    }
}
