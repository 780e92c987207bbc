// SPDX-License-Identifier: Apache-2.0

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
