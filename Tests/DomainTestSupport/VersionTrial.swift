// SPDX-License-Identifier: Apache-2.0

import Foundation
package import HeadraceDomain
package import HeadraceStorage

/// A card of the first version of a program.
package final class FirstCard: StoredEntity {
    package static let entityName = "card"
    package static var indexes: [EntityIndex<FirstCard>] { [EntityIndex("title") { $0.title }] }

    package let id: String
    package var title: String
    package var raisedEvents = RaisedEvents()
}

/// A card of the second version, which has added two indexes.
package final class SecondCard: StoredEntity {
    package static let entityName = "card"
    package static var indexes: [EntityIndex<SecondCard>] {
        [
            EntityIndex("title") { $0.title }, EntityIndex("size") { $0.size },
            EntityIndex("words", each: { $0.words }),
        ]
    }

    package let id: String
    package var title: String
    package var size: Int?
    package var words: [String]
    package var raisedEvents = RaisedEvents()
}

/// A card of another version, which has added one other index to the first version.
package final class OtherCard: StoredEntity {
    package static let entityName = "card"
    package static var indexes: [EntityIndex<OtherCard>] {
        [EntityIndex("title") { $0.title }, EntityIndex("length") { $0.title.utf8.count }]
    }

    package let id: String
    package var title: String
    package var raisedEvents = RaisedEvents()
}

/// Several versions of a program that use one store in a random order, each compared with a store in memory.
package struct VersionTrial {
    /// A result that differs from the store in memory.
    package struct Difference: Error, CustomStringConvertible {
        package let description: String
    }

    package static let versions: [any StoredEntity.Type] = [FirstCard.self, SecondCard.self, OtherCard.self]

    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return mixed ^ mixed >> 31
        }
    }

    private let open: (any StoredEntity.Type) async throws -> any EntityStore
    private let seed: UInt64
    private var random: Generator
    private var programs: [(kind: EntitySchema.Kind, model: InMemoryStore, store: any EntityStore)] = []

    /// Prepares a trial; `open` opens the store with one version of the program.
    package init(seed: UInt64, open: @escaping (any StoredEntity.Type) async throws -> any EntityStore) {
        self.seed = seed
        self.open = open
        random = Generator(state: seed)
    }

    /// Runs the trial.
    ///
    /// Each step restarts a program, writes a card, or compares a query.
    ///
    /// - Throws: ``Difference``; the errors of the stores.
    package mutating func run(steps: Int) async throws {
        for version in Self.versions.shuffled(using: &random) {
            let schema = try EntitySchema([version])
            programs.append((schema.kinds[0], InMemoryStore(schema: schema), try await open(version)))
        }
        for step in 0..<steps {
            let number = Int.random(in: 0..<programs.count, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0:
                let version = Self.versions.first { type in
                    (try? EntitySchema([type]))?.kinds[0].indexes == programs[number].kind.indexes
                }
                if let version { programs[number].store = try await open(version) }
            case 1..<10:
                try await write(by: number)
            default:
                try await compare(number, step)
            }
        }
    }

    private mutating func write(by number: Int) async throws {
        let reference = EntityReference(kind: "card", key: "\(Int.random(in: 0..<30, using: &random))")
        let old = try await programs[number].store.find(reference)
        let words = (0..<Int.random(in: 0..<4, using: &random)).map { _ in "w\(Int.random(in: 0..<6, using: &random))" }
        let size = Bool.random(using: &random) ? "\(Int.random(in: -3..<9, using: &random))" : "null"
        let list = words.map { #""\#($0)""# }.joined(separator: ",")
        let title = String(repeating: "t", count: Int.random(in: 0..<5, using: &random))
        let json = #"{"id":"\#(reference.key)","title":"\#(title)","size":\#(size),"words":[\#(list)]}"#
        let isDeletion = old != nil && Int.random(in: 0..<4, using: &random) == 0
        let new =
            isDeletion
            ? nil
            : StoredDocument(
                reference: reference, version: (old?.version ?? 0) + 1, schemaVersion: 1, json: Data(json.utf8))
        try await programs[number].store.commit(try Self.changes(from: old, to: new, programs[number].kind))
        for program in programs {
            try await program.model.commit(try Self.changes(from: old, to: new, program.kind))
        }
    }

    private static func changes(
        from old: StoredDocument?,
        to new: StoredDocument?,
        _ kind: EntitySchema.Kind
    ) throws -> ChangeSet {
        let before = try old.map { try kind.entries($0) } ?? []
        guard let new else {
            guard let old else { return ChangeSet() }
            return ChangeSet(deletions: [
                .init(reference: old.reference, expectedVersion: old.version, removedEntries: before)
            ])
        }
        let after = try kind.entries(new)
        return ChangeSet(writes: [
            .init(
                document: new, removedEntries: before.subtracting(after), addedEntries: after.subtracting(before))
        ])
    }

    private mutating func compare(_ number: Int, _ step: Int) async throws {
        let (kind, model, store) = programs[number]
        let names = kind.indexes.map(\.name)
        var conditions: [DocumentQuery.Condition] = []
        for _ in 0..<Int.random(in: 0..<3, using: &random) {
            let name = names.randomElement(using: &random) ?? "title"
            let low = Int.random(in: -3..<6, using: &random)
            let test: IndexPredicate =
                switch name {
                case "title": .oneOf([.text("t"), .text("tt")])
                case "words": .oneOf([.text("w\(max(0, low))"), .text("w1")])
                default: .range(from: .integer(Int64(low)), below: .integer(Int64(low + 4)))
                }
            conditions.append(.init(index: name, test: test))
        }
        let order = (names + [""]).randomElement(using: &random).flatMap { name in
            name.isEmpty ? nil : DocumentQuery.Order(index: name, isDescending: Bool.random(using: &random))
        }
        let limit = Bool.random(using: &random) ? nil : Int.random(in: 1..<6, using: &random)
        var after: DocumentQuery.Place?
        for _ in 0..<10 {
            let query = DocumentQuery(
                kind: "card", conditions: conditions, order: order, after: after, limit: limit)
            let expected = try await model.fetch(query)
            for reader in [store as any EntityReader, try await store.snapshot()] {
                let found = try await reader.fetch(query)
                if found == expected { continue }
                throw Difference(
                    description: """
                        seed \(seed), step \(step), indexes \(names): \(query) found \
                        \(found.map(\.reference.key)) instead of \(expected.map(\.reference.key))
                        """)
            }
            guard limit != nil, let last = expected.last else { return }
            let values = try kind.entries(last).filter { $0.index == order?.index }.map(\.value)
            let value = order?.isDescending == true ? values.max() : values.min()
            after = .init(value: value, key: last.reference.key)
        }
    }
}
