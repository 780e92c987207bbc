//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
public import Headrace

/// How an import stands.
public struct ImportStatus: Sendable, Hashable {
    /// Tells the import from all others; later ones sort after earlier ones.
    public let id: UUID

    /// The name of the journal.
    public let name: String

    /// How far it has come.
    public let state: ImportJob.State

    /// How many transactions were looked at.
    public let done: Int

    /// How many there are.
    public let total: Int

    /// How many were posted.
    public let posted: Int

    /// How many were in the books already.
    public let known: Int

    /// Why it has failed, if it has.
    public let failure: ImportJob.Failure?

    /// Whether something is left to be done.
    public var isOpen: Bool { state == .queued || state == .running || state == .paused }
}

/// Asks for all imports that are done in steps, the first one first.
public struct GetImports: CQDQuery {
    /// The imports.
    public typealias Value = [ImportStatus]

    /// Whether only those are asked for that have something left to be done.
    public let onlyOpen: Bool

    /// Creates the query.
    public init(onlyOpen: Bool = false) {
        self.onlyOpen = onlyOpen
    }
}

/// Asks for one import that is done in steps.
public struct GetImportStatus: CQDQuery {
    /// `nil` where there is none.
    public typealias Value = ImportStatus?

    /// Which one.
    public let id: UUID

    /// Creates the query.
    public init(of id: UUID) {
        self.id = id
    }
}

/// Answers from the imports.
public final class GetImportsHandler: HandlesQuery, Resolvable {
    private let context: EntityContext

    /// The types that a handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Takes what the handler needs from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Answers; see the query.
    public func handle(_ query: GetImports) async throws -> [ImportStatus] {
        try await context.fetch(ImportJob.self, where: query.onlyOpen ? [.equals(.isOpen, 1)] : []).map(\.status)
    }
}

/// Answers from the import.
public final class GetImportStatusHandler: HandlesQuery, Resolvable {
    private let context: EntityContext

    /// The types that a handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Takes what the handler needs from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Answers; see the query.
    public func handle(_ query: GetImportStatus) async throws -> ImportStatus? {
        try await context.find(ImportJob.self, id: query.id)?.status
    }
}
