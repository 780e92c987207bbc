// SPDX-License-Identifier: Apache-2.0

/// The types that an object resolves from its scope.
///
/// `@Resolvable` writes the statement. By hand it is one line:
///
/// ```swift
/// static var dependencies: Dependencies {
///     Dependencies().on((any Books).self).on(AuditLog?.self)
/// }
/// ```
///
/// ``ContainerBuilder/validate(_:)``, graphs, ``DependencyResolver/require(_:)``, and the dispatchers of commands, queries and
/// events read it: if a stated dependency isn't registered, they throw before they create the object.
/// ``DependencyResolver/resolve(_:)`` doesn't read it, so a wrong statement never changes an object.
public struct Dependencies: Sendable {
    /// The stated dependencies, in the order stated.
    package private(set) var stated: [Dependency] = []

    /// Whether the statement is complete.
    ///
    /// If not, the object may resolve other types as well.
    package private(set) var isComplete = true

    /// The class that the statement is limited to; subclasses have other dependencies.
    private var declarer: Any.Type?

    /// Unknown dependencies: the object resolves types by hand, and graphs list it as opaque.
    public static var unknown: Dependencies {
        var dependencies = Dependencies()
        dependencies.isComplete = false
        return dependencies
    }

    /// Creates a statement without dependencies; add them with ``on(_:)`` and ``onAll(_:)``.
    public init() {}

    /// Creates a statement for the class `declarer`.
    ///
    /// The dependencies of its subclasses stay unknown.
    public init(of declarer: Any.Type) {
        self.declarer = declarer
    }

    /// Adds `type`.
    ///
    /// An optional type is a dependency that may be missing. An array type is the set of its elements. Both mean the same
    /// as when they are resolved.
    public func on<T>(_ type: T.Type) -> Dependencies {
        adding(Dependency(type))
    }

    /// Adds the set of `type`, as ``DependencyResolver/resolveAll(_:)`` returns it.
    public func onAll<T>(_ type: T.Type) -> Dependencies {
        adding(Dependency(type, isSet: true))
    }

    /// Returns a copy without `type`, for an object that receives `type` from elsewhere.
    package func without(_ type: Any.Type) -> Dependencies {
        var copy = self
        copy.stated.removeAll { $0.contract == type }
        return copy
    }

    /// Returns the dependencies of an object that has these and `others`.
    func adding(_ others: Dependencies) -> Dependencies {
        var copy = self
        copy.stated += others.stated
        copy.isComplete = isComplete && others.isComplete
        return copy
    }

    /// The dependencies of `type`, which may have inherited this statement from its superclass.
    func inherited(by type: Any.Type) -> Dependencies {
        guard let declarer, declarer != type else { return self }
        return .unknown
    }

    /// Creates a statement of `types`, in their order, for a function with parameters of these types.
    ///
    /// A function that takes the scope resolves by hand, so its dependencies are unknown.
    init<each Needed>(on types: repeat (each Needed).Type) {
        for type in repeat each types {
            if type == (any DependencyResolutionScope).self {
                isComplete = false
            } else {
                stated.append(Dependency(type))
            }
        }
    }

    private func adding(_ dependency: Dependency) -> Dependencies {
        var copy = self
        copy.stated.append(dependency)
        return copy
    }
}
