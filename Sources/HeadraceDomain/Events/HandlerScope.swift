//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore
import HeadraceResolution

/// The scope that a handler of one event is made in: the context of the unit of work, and everything else from a scope
/// that is opened for the event.
///
/// Why `@unchecked Sendable` is right here, though a context is not `Sendable`: the context is given only to the task that
/// runs the unit of work, which has made this scope. That task does one thing after the other. All other properties are
/// `Sendable`.
final class HandlerScope: DependencyResolutionScope, @unchecked Sendable {
    private let context: (any DomainContext)?
    private let contextType: Any.Type?
    private let base: any DependencyResolver & Sendable
    private let task: TaskIdentity

    init(_ site: HandlerSite) {
        context = site.context
        contextType = site.contextType
        base = (site.base as? any DependencyResolutionScope)?.scope() ?? site.base
        task = .current
    }

    /// Makes a handler, unless one of its stated dependencies is missing.
    ///
    /// - Throws: ``ResolutionError``.
    func make<Handler: Resolvable>(_ type: Handler.Type) throws(ResolutionError) -> Handler {
        try base.check(type, given: contextType)
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

    private func given<T>(_ type: T.Type) -> T? {
        guard type == contextType, task.isCurrent else { return nil }
        return context as? T
    }
}
