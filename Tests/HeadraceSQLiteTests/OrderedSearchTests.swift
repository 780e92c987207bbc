// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceDomain
import HeadraceStorage
import HeadraceTesting
import Testing

@testable import HeadraceSQLite

/// Queries with conditions, in the order of an index.
@Suite(.timeLimit(.minutes(1))) struct OrderedSearchTests {
    private static let names = ["often", "seldom", "few", "never"]

    // MARK: Results

    @Test(arguments: [1, 2, 3])
    func eachWayToSearchFindsTheDocumentsInTheOrderOfTheIndex(seed: UInt64) async throws {
        try await withEntries { store, entries in
            var random = SeededGenerator(seed: seed)
            for _ in 0..<40 {
                let wanted = Set(Self.names.shuffled(using: &random).prefix(.random(in: 1...3, using: &random)))
                let isDescending = Bool.random(using: &random)
                let limit = [nil, 1, 20, 1_200].randomElement(using: &random) ?? nil
                let order = ["at", "marks"].randomElement(using: &random) ?? "at"
                let found = entries.filter { wanted.contains($0.name) && $0.value(in: order, isDescending) != nil }
                    .sorted { one, other in
                        let places = (one.place(in: order, isDescending), other.place(in: order, isDescending))
                        return isDescending ? places.0 > places.1 : places.0 < places.1
                    }
                let start = found.isEmpty ? 0 : Int.random(in: 0...found.count, using: &random)
                let query = DocumentQuery(
                    kind: "entry",
                    conditions: [.init(index: "name", test: .oneOf(Set(wanted.map { .text($0) })))],
                    order: .init(index: order, isDescending: isDescending),
                    after: start == 0 ? nil : found[start - 1].place(in: order, isDescending),
                    limit: limit
                )
                let expected = found[start...].prefix(limit ?? .max).map { "\($0.id)" }

                let keys = try await store.fetch(query).map(\.reference.key)

                #expect(keys == expected, "\(query)")
            }
        }
    }

    @Test func aRangeOfTheOrderFindsItsDocuments() async throws {
        try await withEntries { store, _ in
            let query = DocumentQuery(
                kind: "entry",
                conditions: [
                    .init(index: "at", test: .range(from: .integer(100), below: .integer(1_200))),
                    .init(index: "name", test: .oneOf([.text("often")])),
                ],
                order: .init(index: "at", isDescending: true),
                limit: 3
            )

            let keys = try await store.fetch(query).map(\.reference.key)
            #expect(keys == ["1198", "1197", "1196"])
        }
    }

    @Test func aDocumentThatCannotBeDecodedDoesNotHinderThoseOnThePage() async throws {
        try await withEntries { store, _ in
            try withOtherProgram(store.path) { database in
                try database.execute(sql: "UPDATE headrace_entity SET document = '{}' WHERE key = '1199'")
            }
            let query = Self.page(of: ["few"], limit: 2)

            let keys = try await store.fetch(query).map(\.reference.key)
            #expect(keys == ["399", "799"])
        }
    }

    // MARK: Plans

    @Test func aPageOfManyMatchesLooksUpEachEntityInTheOrderOfTheIndex() async throws {
        try await withEntries { store, _ in
            let plan = try plan(of: Self.page(of: ["often"]), in: store)

            #expect(plan.first?.hasPrefix("SEARCH place USING PRIMARY KEY (index_id=?)") == true, "\(plan)")
            #expect(plan.contains { $0.hasPrefix("CORRELATED SCALAR SUBQUERY") }, "\(plan)")
            #expect(plan.contains { $0.contains("(index_id=? AND value=? AND key=?)") }, "\(plan)")
            #expect(!plan.contains { $0.contains("TEMP B-TREE") || $0.hasPrefix("SCAN") }, "\(plan)")
        }
    }

    @Test func aPageOfFewMatchesCollectsThemOnce() async throws {
        try await withEntries { store, _ in
            let plan = try plan(of: Self.page(of: ["few"]), in: store)

            #expect(plan.first?.hasPrefix("SEARCH place USING PRIMARY KEY (index_id=?") == true, "\(plan)")
            #expect(!plan.contains { $0.hasPrefix("CORRELATED") || $0.contains("FOR ORDER BY") }, "\(plan)")
        }
    }

    @Test func aRangeOfTheOrderReadsOnlyItsEntries() async throws {
        try await withEntries { store, _ in
            let query = DocumentQuery(
                kind: "entry",
                conditions: [.init(index: "at", test: .range(from: .integer(1), below: .integer(9)))],
                order: .init(index: "at", isDescending: true),
                limit: 20
            )

            let plan = try plan(of: query, in: store)

            #expect(plan.first?.contains("(index_id=? AND value>? AND value<?)") == true, "\(plan)")
            #expect(!plan.contains { $0.contains("TEMP B-TREE") || $0.hasPrefix("LIST") }, "\(plan)")
        }
    }

    @Test func queriesWithDifferentNumbersOfValuesShareStatements() throws {
        var statements: Set<String> = []
        for count in 1...1_000 {
            var statement = DocumentStatement(kind: 1)
            statement.require(.oneOf(Set((0..<count).map { .integer(Int64($0)) })), in: 1)
            statements.insert(statement.sql)
            #expect(statement.arguments.count == statement.sql.count { $0 == "?" })
        }

        #expect(statements.count == 11)
    }

    // MARK: Support

    private static func page(of names: Set<String>, limit: Int = 20) -> DocumentQuery {
        DocumentQuery(
            kind: "entry",
            conditions: [.init(index: "name", test: .oneOf(Set(names.map { .text($0) })))],
            order: .init(index: "at", isDescending: false),
            limit: limit
        )
    }

    private func withEntries(_ body: (SQLiteStore, [Entry]) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let store = try openStore(folder.path(of: "store.sqlite"), entities: [Entry.self])
            let context = EntityContext(store)
            let entries = (0..<1_300).map { Entry($0) }
            for entry in entries { context.insert(entry) }
            try await context.commit(context.takeEvents())
            try await body(store, entries)
            try store.close()
        }
    }

    /// The plan of the statement that first searches for `query`.
    private func plan(of query: DocumentQuery, in store: SQLiteStore) throws -> [String] {
        let ids = store.check.ids
        let statement = try #require(ids.statement(for: query))
        return try withOtherProgram(store.path) { database in
            let (planned, _) = try OrderedSearch(query, ids: ids, in: database).planned(statement)
            return try Row.fetchAll(
                database,
                sql: "EXPLAIN QUERY PLAN " + planned.sql,
                arguments: StatementArguments(planned.arguments)
            ).map { $0["detail"] as String }
        }
    }
}

/// An entity with a name that many, some, or few entities have.
private final class Entry: StoredEntity {
    static let entityName = "entry"
    static var indexes: [EntityIndex<Entry>] {
        [
            EntityIndex("name") { $0.name }, EntityIndex("at") { $0.at },
            EntityIndex("marks", each: { $0.marks }),
        ]
    }

    let id: Int
    let name: String
    let at: Int?
    let marks: [Int]
    var raisedEvents = RaisedEvents()

    init(_ id: Int) {
        self.id = id
        name = id % 400 == 399 ? "few" : id % 50 == 7 ? "seldom" : "often"
        at = id % 97 == 3 ? nil : id
        marks = (0..<id % 3).map { id * ($0 + 7) % 31 }
    }

    func value(in order: String, _ isDescending: Bool) -> Int? {
        order == "at" ? at : isDescending ? marks.max() : marks.min()
    }

    func place(in order: String, _ isDescending: Bool) -> DocumentQuery.Place {
        DocumentQuery.Place(value: value(in: order, isDescending).map { .integer(Int64($0)) }, key: "\(id)")
    }
}

extension StatementArguments {
    /// The arguments of a statement of the store.
    init(_ values: [IndexValue]) {
        let converted: [DatabaseValue] = values.map { value in
            switch value {
            case .integer(let number): number.databaseValue
            case .text(let text): SQLText(text).databaseValue
            }
        }
        self.init(converted)
    }
}
#endif
