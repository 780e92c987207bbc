//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What an object takes from its scope, stated without making one.
///
/// `@Resolvable` writes it. By hand it is a line as well:
///
/// ```swift
/// static var dependencies: Dependencies {
///     Dependencies().on((any Books).self).on(AuditLog?.self)
/// }
/// ```
///
/// ``ContainerBuilder/validate(_:)``, graphs, ``DependencyResolver/require(_:)``, and the dispatchers of commands, queries and
/// events read it: if a stated dependency isn't registered, they throw before they make the object.
/// ``DependencyResolver/resolve(_:)`` doesn't read it, so a wrong statement changes no object that it makes.
public struct Dependencies: Sendable {
    /// What is stated, in the order stated.
    package private(set) var stated: [Dependency] = []

    /// Whether that is all there is; the object may take anything otherwise.
    package private(set) var isComplete = true

    /// The class that states this for itself, but not for those that inherit from it.
    private var declarer: Any.Type?

    /// Not known: the object takes what it takes by hand, and is listed as opaque.
    public static var unknown: Dependencies {
        var dependencies = Dependencies()
        dependencies.isComplete = false
        return dependencies
    }

    /// Begins a statement; without a word more it says that nothing is taken.
    public init() {}

    /// Begins a statement that holds for `declarer`, and leaves open what its subclasses take.
    public init(of declarer: Any.Type) {
        self.declarer = declarer
    }

    /// Adds `type`.
    ///
    /// An optional type stands for what may be missing, and an array for all that joins the set of its
    /// elements, as when they are resolved.
    public func on<T>(_ type: T.Type) -> Dependencies {
        adding(Dependency(type))
    }

    /// Adds all that joins the set of `type`, as ``DependencyResolver/resolveAll(_:)`` gives it.
    public func onAll<T>(_ type: T.Type) -> Dependencies {
        adding(Dependency(type, isSet: true))
    }

    /// The same without `type`, which comes from elsewhere.
    package func without(_ type: Any.Type) -> Dependencies {
        var copy = self
        copy.stated.removeAll { $0.contract == type }
        return copy
    }

    /// What the statement says of `type`, which may have inherited it.
    func inherited(by type: Any.Type) -> Dependencies {
        guard let declarer, declarer != type else { return self }
        return .unknown
    }

    /// States `types`, in their order.
    init<each Needed>(on types: repeat (each Needed).Type) {
        repeat stated.append(Dependency(each types))
    }

    private func adding(_ dependency: Dependency) -> Dependencies {
        var copy = self
        copy.stated.append(dependency)
        return copy
    }
}
