//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace

/// Asks how the last import of a journal ended.
public struct GetImport: CQDQuery {
    /// The outcome of an import.
    public struct Outcome: Sendable, Hashable {
        /// How many transactions were posted.
        public let posted: Int

        /// How many were in the books already.
        public let known: Int

        /// The journal under whose name the same content was imported before, if it was.
        public let sameAs: String?
    }

    /// `nil` where no journal of that name was imported.
    public typealias Value = Outcome?

    /// The name of the journal.
    public let journal: String

    /// Creates the query.
    public init(of journal: String) {
        self.journal = journal
    }
}

/// Answers from the record of the journal.
public final class GetImportHandler: HandlesQuery, Resolvable {
    private let context: EntityContext

    /// The types that a handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Takes what the handler needs from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Answers; see the query.
    public func handle(_ query: GetImport) async throws -> GetImport.Outcome? {
        try await context.find(ImportedJournal.self, id: query.journal).map {
            GetImport.Outcome(posted: $0.posted, known: $0.known, sameAs: $0.sameAs)
        }
    }
}
