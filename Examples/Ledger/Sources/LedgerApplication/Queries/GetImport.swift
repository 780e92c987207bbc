// SPDX-License-Identifier: Apache-2.0

public import Headrace

/// A query for the outcome of the last import of a journal.
public struct GetImport: CQDQuery {
    /// The outcome of an import.
    public struct Outcome: Sendable, Hashable {
        /// Number of posted transactions.
        public let posted: Int

        /// Number of transactions that were posted before.
        public let known: Int

        /// The name under which the same content was imported before; `nil` if it wasn't.
        public let sameAs: String?
    }

    /// The outcome; `nil` if no journal of that name was imported.
    public typealias Value = Outcome?

    /// The name of the journal.
    public let journal: String

    /// Creates the query.
    public init(of journal: String) {
        self.journal = journal
    }
}

/// Reads the record of the journal.
public final class GetImportHandler: HandlesQuery, Resolvable {
    private let context: EntityContext

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Handles the query.
    public func handle(_ query: GetImport) async throws -> GetImport.Outcome? {
        try await context.find(ImportedJournal.self, id: query.journal).map {
            GetImport.Outcome(posted: $0.posted, known: $0.known, sameAs: $0.sameAs)
        }
    }
}
