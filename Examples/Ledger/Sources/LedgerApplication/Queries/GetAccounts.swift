//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace

/// A query for the names of all accounts, ordered.
public struct GetAccounts: CQDQuery {
    /// The full names.
    public typealias Value = [String]

    /// Creates the query.
    public init() {}
}

/// Reads the accounts.
public final class GetAccountsHandler: HandlesQuery, Resolvable {
    private let context: EntityContext

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Handles the query.
    public func handle(_ query: GetAccounts) async throws -> [String] {
        try await context.fetch(Account.self).map(\.id)
    }
}
