// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Headrace

/// A query for all import jobs, the oldest first.
public struct GetImports: CQDQuery {
    /// The jobs.
    public typealias Value = [ImportStatus]

    /// Whether to leave out the jobs that have ended.
    public let onlyOpen: Bool

    /// Creates the query.
    public init(onlyOpen: Bool = false) {
        self.onlyOpen = onlyOpen
    }
}

/// A query for one import job.
public struct GetImportStatus: CQDQuery {
    /// The job; `nil` if it doesn't exist.
    public typealias Value = ImportStatus?

    /// The identifier of the job.
    public let id: UUID

    /// Creates the query.
    public init(of id: UUID) {
        self.id = id
    }
}

/// Reads the jobs.
public final class GetImportsHandler: HandlesQuery, Resolvable {
    private let context: EntityContext

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Handles the query.
    public func handle(_ query: GetImports) async throws -> [ImportStatus] {
        try await context.fetch(ImportJob.self, where: query.onlyOpen ? [.equals(.isOpen, 1)] : []).map(\.status)
    }
}

/// Reads the job.
public final class GetImportStatusHandler: HandlesQuery, Resolvable {
    private let context: EntityContext

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Handles the query.
    public func handle(_ query: GetImportStatus) async throws -> ImportStatus? {
        try await context.find(ImportJob.self, id: query.id)?.status
    }
}
