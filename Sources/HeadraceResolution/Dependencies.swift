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

/// One type that an object resolves from its scope.
package struct Dependency: Sendable {
    /// The type as it is resolved; for a set, the type of the members.
    package let contract: Any.Type

    /// Whether the object resolves the whole set of the type.
    package let isSet: Bool

    init(_ contract: Any.Type, isSet: Bool = false) {
        self.contract = contract
        self.isSet = isSet
    }

    /// The type without the optionals around it.
    var wrapped: Any.Type {
        var type = contract
        while let optional = type as? any OptionalDependency.Type { type = optional.wrapped }
        return type
    }

    /// Whether the dependency may be missing.
    var isOptional: Bool {
        isSet || contract is any OptionalDependency.Type
    }

    /// Finds the targets that the dependency resolves to.
    ///
    /// The look-ups have the same order as in `ResolutionScope`.
    ///
    /// - Parameters:
    ///   - single: Returns the target of a type that is registered.
    ///   - members: Returns the targets of a type that has a set.
    /// - Returns: The targets, or `nil` if the dependency is missing and not optional.
    func targets<Target>(
        single: (Any.Type) -> Target?,
        members: (Any.Type) -> [Target]?
    ) -> [Target]? {
        if isSet, let set = members(contract) { return set }
        var type = contract
        while true {
            if let target = single(type) { return [target] }
            guard let optional = type as? any OptionalDependency.Type else { break }
            type = optional.wrapped
        }
        if let array = type as? any SetDependency.Type, let set = members(array.element) { return set }
        return isOptional ? [] : nil
    }
}

/// An optional type, which resolves to an object of the wrapped type, or to `nil` if that type isn't registered.
protocol OptionalDependency {
    /// The wrapped type.
    static var wrapped: Any.Type { get }

    /// Returns the object that `resolver` has for the wrapped type, or `nil`.
    static func resolveWrapped(by resolver: any DependencyResolver) -> Self
}

extension Optional: OptionalDependency {
    static var wrapped: Any.Type { Wrapped.self }

    static func resolveWrapped(by resolver: any DependencyResolver) -> Self {
        resolver.tryResolve(Wrapped.self)
    }
}

/// An array type, which resolves to the set of its elements.
protocol SetDependency {
    /// The type of the elements.
    static var element: Any.Type { get }

    /// Returns the members of the set that `resolver` has for the elements.
    static func resolveMembers(by resolver: any DependencyResolver) -> Self
}

extension Array: SetDependency {
    static var element: Any.Type { Element.self }

    static func resolveMembers(by resolver: any DependencyResolver) -> Self {
        resolver.resolveAll(Element.self)
    }
}

/// A type that creates itself from a scope.
///
/// The `@Resolvable` macro writes the initializer. By hand it is short as well:
///
/// ```swift
/// final class GetBalanceHandler: HandlesQuery, Resolvable {
///     private let books: any Books
///
///     init(scope: any DependencyResolutionScope) {
///         books = scope.resolve()
///     }
///
///     func handle(_ query: GetBalance) async throws -> Int {
///         try await books.balance(of: query.account)
///     }
/// }
/// ```
public protocol Resolvable: SendableMetatype {
    /// Creates an instance with dependencies from `scope`.
    init(scope: borrowing any DependencyResolutionScope)

    /// The types that an instance resolves from its scope.
    ///
    /// The default is ``Dependencies/unknown``.
    static var dependencies: Dependencies { get }
}

extension Resolvable {
    /// The default: unknown dependencies.
    public static var dependencies: Dependencies { .unknown }

    /// The dependencies of this type; unknown if a superclass stated them only for itself.
    package static var ownDependencies: Dependencies {
        dependencies.inherited(by: Self.self)
    }
}

// Unavailable declarations: the compiler considers them for code that has no other meaning, and prints their messages.

extension Resolvable {
    /// Explains how a type gets the initializer.
    @available(
        *, unavailable,
        message: """
            The type doesn't declare how it is created from a scope. To fix, write '@Resolvable' before the type, or \
            declare 'init(scope:)'.
            """
    )
    @_documentation(visibility: internal)
    public init(scope: borrowing any DependencyResolutionScope) {
        self.init(scope: scope)  // The requirement; this code never runs.
    }
}
