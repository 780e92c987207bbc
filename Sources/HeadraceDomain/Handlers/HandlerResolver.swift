// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceResolution
import Synchronization

/// The resolver for the handler of one event: the context of the unit of work, and everything else from the registrar's resolver.
final class HandlerResolver: DependencyResolutionScope {
    private let context: TaskBound<(any DomainContext)?>
    private let contextType: Any.Type?
    private let registrar: any DependencyResolver & Sendable

    /// The resolver of everything but the context, once it was needed.
    private let opened: Mutex<(any DependencyResolver & Sendable)?>

    /// Creates a resolver.
    ///
    /// - Parameters:
    ///   - site: The context and the registrar's resolver.
    ///   - opensScope: Whether dependencies come from a scope that is opened for the event, if the registrar's resolver has scopes. It
    ///     is opened only if the handler has other dependencies than the context.
    init(_ site: HandlingContext, opensScope: Bool) {
        context = TaskBound(site.context)
        contextType = site.contextType
        registrar = site.base
        opened = Mutex(opensScope ? nil : site.base)
    }

    /// Creates a handler, unless one of its declared dependencies is missing.
    ///
    /// - Throws: ``ResolutionError``.
    func make<Handler: Resolvable>(_ type: Handler.Type) throws(ResolutionError) -> Handler {
        if try !registrar.check(type, given: contextType) {
            // The result depends on the scope, or on the thread, so ask the scope that the handler receives.
            try base.check(type, given: contextType)
        }
        return Handler(scope: self)
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

    func scope() -> any DependencyResolutionScope {
        (base as? any DependencyResolutionScope)?.scope() ?? self
    }

    private var base: any DependencyResolver & Sendable {
        opened.withLock { opened in
            if let opened { return opened }
            let base = (registrar as? any DependencyResolutionScope)?.scope() ?? registrar
            opened = base
            return base
        }
    }

    private func given<T>(_ type: T.Type) -> T? {
        type == contextType ? context.current.flatMap { $0 as? T } : nil
    }
}
