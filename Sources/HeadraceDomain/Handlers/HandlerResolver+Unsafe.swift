// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceResolution
import Synchronization

/// The resolver for the handler of one event: the context of the unit of work, and a scope that is opened for the event.
///
/// The scope is opened only if the handler has other dependencies than the context.
///
/// `@unchecked Sendable` is safe, although a context is not `Sendable`: only the task that runs the unit of work has
/// access to the context. That task has created this resolver, and does one thing after the other. All other properties
/// are `Sendable`.
final class HandlerResolver: DependencyResolutionScope, @unchecked Sendable {
    private let context: (any DomainContext)?
    private let contextType: Any.Type?
    private let registrar: any DependencyResolver & Sendable
    private let containerNumber: UInt
    private let task: TaskIdentity
    private let opened = Mutex<(any DependencyResolver & Sendable)?>(nil)

    init(_ site: HandlingContext) {
        context = site.context
        contextType = site.contextType
        registrar = site.base
        containerNumber = site.containerNumber
        task = .current
    }

    /// Creates a handler, unless one of its declared dependencies is missing.
    ///
    /// - Throws: ``ResolutionError``.
    func make<Handler: Resolvable>(
        _ type: Handler.Type,
        remembering memory: HandlerMemory
    ) throws(ResolutionError) -> Handler {
        if contextType == nil {
            try prove(type, remembering: memory.withoutContext)
        } else if contextType == EntityContext.self {
            try prove(type, remembering: memory.withEntityContext)
        } else if try !registrar.check(type, given: contextType) {
            try base.check(type, given: contextType)
        }
        return Handler(scope: self)
    }

    private func prove<Handler: Resolvable>(
        _ type: Handler.Type,
        remembering proof: borrowing ProofMemory
    ) throws(ResolutionError) {
        if proof.holds(in: containerNumber) { return }
        if try registrar.check(type, given: contextType) { return proof.remember(containerNumber) }
        // The result depends on the scope, or on the thread, so ask the scope that the handler receives.
        try base.check(type, given: contextType)
    }

    func tryResolve<T>(_ type: T.Type) -> T? {
        given(type) ?? base.tryResolve(type)
    }

    func resolve<T>(_ type: T.Type) -> T {
        given(type) ?? base.resolve(type)
    }

    func require<T>(_ type: T.Type) throws(ResolutionError) -> T {
        if let context = given(type) { return context }
        return try base.require(type)
    }

    func resolveAll<T>(_ type: T.Type) -> [T] {
        given(type).map { [$0] } ?? base.resolveAll(type)
    }

    /// The resolver of everything but the context: a scope for the event, if the registrar has a scope.
    private var base: any DependencyResolver & Sendable {
        opened.withLock { opened in
            if let opened { return opened }
            let base = (registrar as? any DependencyResolutionScope)?.scope() ?? registrar
            opened = base
            return base
        }
    }

    func scope() -> any DependencyResolutionScope {
        (base as? any DependencyResolutionScope)?.scope() ?? self
    }

    private func given<T>(_ type: T.Type) -> T? {
        guard type == contextType, task.isCurrent else { return nil }
        return context as? T
    }
}

/// The containers in which the dependencies of one handler are known to be registered.
final class HandlerMemory: Sendable {
    /// For events after the commit.
    let withoutContext = ProofMemory()

    /// For events in a unit of work on an `EntityContext`, which needs no registration.
    let withEntityContext = ProofMemory()
}
