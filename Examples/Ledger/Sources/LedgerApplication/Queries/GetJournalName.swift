// SPDX-License-Identifier: Apache-2.0

public import Headrace

/// A query for the journal to which an upload belongs.
public struct GetJournalName: CQDQuery {
    /// The name that is part of the origins of the transactions: that of the upload or, if the upload is a copy of
    /// another journal, the name of that journal; see ``KnownJournal``.
    public typealias Value = String

    /// The name of the upload.
    public let upload: String

    /// Creates the query.
    public init(of upload: String) {
        self.upload = upload
    }
}

/// Reads the record of the journal.
public final class GetJournalNameHandler: HandlesQuery, Resolvable {
    private let context: EntityContext

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Handles the query.
    public func handle(_ query: GetJournalName) async throws -> String {
        try await context.find(ImportedJournal.self, id: query.upload)?.sameAs ?? query.upload
    }
}
