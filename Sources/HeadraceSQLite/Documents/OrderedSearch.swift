// SPDX-License-Identifier: Apache-2.0

#if SQLite
import GRDB
import HeadraceStorage

/// Finds documents in the order of an index, by the entries of that index or by those of a condition.
///
/// A scan of the order ends early if many documents match, and reads most of the index if few do. So the search counts the
/// matches, up to a limit. If they are few, the scan may read as many entries as cost as much as these documents. If it
/// doesn't end there, the documents are read and sorted. So the search takes at most about twice the time of the better way.
struct OrderedSearch {
    /// Number of matches up to which they may be read and sorted.
    private static let fewMatches = 1_000

    /// Number of entries of the order that a scan reads in the time in which one document is read and decoded.
    private static let entriesPerDocument = 20

    /// Number of values of a condition up to which each entity of a scan can be looked up.
    private static let fewValues = 16

    private let query: DocumentQuery
    private let ids: SchemaIDs
    private let database: Database

    init(_ query: DocumentQuery, ids: SchemaIDs, in database: Database) {
        self.query = query
        self.ids = ids
        self.database = database
    }

    /// Returns the documents that match the query, which `statement` reads.
    func documents(by statement: DocumentStatement) throws -> [StoredDocument] {
        if case .byKey = statement.order { return try read(statement) }
        if let after = statement.after, after.value == nil { return try read(statement) }
        let (statement, count) = try planned(statement)
        let length = max(Self.fewMatches, (count ?? 0) * Self.entriesPerDocument)
        guard let count, count <= Self.fewMatches, let kind = ids.declaration(query.kind),
            let boundary = try place(after: length, of: statement)
        else { return try read(statement) }
        if case .byValue = statement.order, let limit = statement.limit {
            var first = statement
            first.before = boundary
            let documents = try read(first)
            if documents.count >= limit { return documents }
        }
        let matches = try read(statement.unordered)
        // A document that can't be decoded need not be among the results of the scan.
        let indexed = try? matches.map { try DocumentReader.indexed($0, kind, ids: ids, in: database) }
        return try indexed.map { query.corrected([], outdated: $0) } ?? read(statement)
    }

    /// Decides for each condition whether a scan of the order looks up each entity.
    ///
    /// - Returns: The statement, and the least number of entries that pass a condition; `nil` if many do. A condition on the
    ///   order limits the scan, so it doesn't count.
    func planned(_ statement: DocumentStatement) throws -> (DocumentStatement, count: Int?) {
        var statement = statement
        var least: Int?
        for (place, condition) in statement.conditions.enumerated() {
            guard case .oneOf(let values) = condition.test else { continue }
            if case .byValue(index: condition.index) = statement.order { continue }
            let mayProbe = values.count <= Self.fewValues && statement.limit != nil
            let limit = Self.fewMatches * (mayProbe ? max(1, values.count) : 1)
            let count = try integer(DocumentStatement.count(condition, limit: limit + 1))
            if count <= Self.fewMatches { least = min(least ?? count, count) }
            // To collect the keys takes time for each match, and to look up takes time for each value.
            if case .byValue = statement.order { statement.conditions[place].isProbed = mayProbe && count > limit }
        }
        return (statement, least)
    }

    /// Returns the place after `count` entries of the order; `nil` if there are fewer.
    private func place(after count: Int, of statement: DocumentStatement) throws -> DocumentQuery.Place? {
        guard let boundary = statement.boundary(after: count) else { return nil }
        return try database.withPreparedStatement(boundary.sql) { row in
            for argument in boundary.arguments { row.bind(argument) }
            guard try row.next() else { return nil }
            return DocumentQuery.Place(value: try row.value(0), key: try row.text(1))
        }
    }

    private func integer(_ part: DocumentStatement.Part) throws -> Int {
        let number = try database.integer(part.sql) { row in
            for argument in part.arguments { row.bind(argument) }
        }
        return Int(number ?? 0)
    }

    private func read(_ statement: DocumentStatement) throws -> [StoredDocument] {
        try DocumentReader.documents(of: query.kind, by: statement, in: database)
    }
}
#endif
