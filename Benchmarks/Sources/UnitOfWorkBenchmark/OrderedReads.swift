// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStorage

/// Measures insertions into an in-memory store with indexes, and its pages in the order of an index.
enum OrderedReads {
    private static let count = 1_000_000

    /// Measures a store that is never read in order, and another that is, and prints the times.
    static func run() async throws -> Int32 {
        for isRead in [false, true] {
            let store = InMemoryStore(schema: try schema())
            try await insert(0..<count / 2, into: store)
            if isRead { print("first page, which sorts 500,000:", try await time { try await page(of: store) }) }
            let insertion = try await time { try await insert(count / 2..<count, into: store) }
            print(isRead ? "500,000 insertions after a page:" : "500,000 insertions:", insertion)
            if isRead {
                print("first page, which sorts 1,000,000:", try await time { try await page(of: store) })
                let pages = try await time { for _ in 0..<1_000 { try await page(of: store) } }
                print("each of 1,000 pages of 20:", pages / 1_000)
                try await insert(count..<count + 100, into: store)
                print("a page after 100 insertions:", try await time { try await page(of: store) })
            }
        }
        return EXIT_SUCCESS
    }

    private static func schema() throws -> EntitySchema {
        let indexes = ["at", "name"].map { EntitySchema.Index(name: $0, isUnique: false, holdsOneValue: true) }
        return try EntitySchema(
            kinds: [EntitySchema.Kind(name: "order", schemaVersion: 1, indexes: indexes) { _ in [] }]
        )
    }

    private static func insert(_ numbers: Range<Int>, into store: InMemoryStore) async throws {
        for number in numbers {
            let document = StoredDocument(
                reference: EntityReference(kind: "order", key: "\(number)"),
                version: 1,
                schemaVersion: 1,
                json: Data()
            )
            let entries: Set = [
                ChangeSet.IndexEntry(index: "at", value: .integer(Int64(number * 7_919 % 1_000_003))),
                ChangeSet.IndexEntry(index: "name", value: .text("customer \(number % 1_000)")),
            ]
            try await store.commit(ChangeSet(writes: [ChangeSet.Write(document: document, addedEntries: entries)]))
        }
    }

    private static func page(of store: InMemoryStore) async throws {
        let query = DocumentQuery(kind: "order", order: .init(index: "at", isDescending: false), limit: 20)
        let found = try await store.fetch(query)
        precondition(found.count == 20)
    }

    private static func time(_ body: () async throws -> Void) async throws -> Duration {
        try await ContinuousClock().measure { try await body() }
    }
}
