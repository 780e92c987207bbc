//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A type that makes itself out of what a scope gives it.
///
/// The `@Resolvable` macro writes the initialiser. By hand it is short as well:
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
    /// Creates an instance whose dependencies come from `scope`.
    init(scope: borrowing any DependencyResolutionScope)

    /// What the instances take from their scope.
    ///
    /// By default it is ``Dependencies/unknown``.
    static var dependencies: Dependencies { get }
}

extension Resolvable {
    /// Leaves open what the instances take from their scope.
    public static var dependencies: Dependencies { .unknown }

    /// What the type states of itself, or leaves open where it is a superclass that states it of itself alone.
    package static var ownDependencies: Dependencies {
        dependencies.inherited(by: Self.self)
    }
}
