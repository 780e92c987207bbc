// SPDX-License-Identifier: Apache-2.0

import HeadraceStorage
import HeadraceTesting

extension StoreContract {
    static let randomChecks: [Check] = ([1, 2, 3, 4, 5, 6] as [UInt64]).map { seed in
        Check("random changes have the same result as in a simple model, seed \(seed)") { fixture in
            var trial = RandomTrial(seed: seed)
            try await trial.run(on: try await fixture.open())
        }
    }
}

/// A random sequence of changes on a store and on a model.
private struct RandomTrial {
    private let seed: UInt64
    private var generator: SeededGenerator
    private var model = ReferenceModel()
    private var step = 0

    private static let keys = (0..<9).map { "key \($0)" } + ["e\u{301}", "%", "'"]
    private static let values: [EntryValue] = [
        .number(.min), -1, 0, 1, .number(.max), "", "0", "1", "a", "\u{301}", "%",
    ]

    init(seed: UInt64) {
        self.seed = seed
        generator = SeededGenerator(seed: seed)
    }

    mutating func run(on store: any EntityStore) async throws {
        for _ in 0..<60 {
            step += 1
            let parts = randomParts()
            let events: [NewEvent] = Bool.random(using: &generator) ? [.numbered(UInt8(step))] : []
            let changes = try ChangeSet(parts, events: events)
            let refusals = model.refusals(of: parts)
            if refusals.isEmpty {
                try await store.commit(changes)
                model.apply(parts, events: events)
            } else {
                try await store.refuse(changes, with: refusals, "step \(step) of seed \(seed)")
            }
            try await compare(store)
        }
    }

    private mutating func randomParts() -> [ReferenceModel.Part] {
        var parts: [ReferenceModel.Part] = []
        for key in Self.keys.shuffled(using: &generator).prefix(Int.random(in: 1...4, using: &generator)) {
            let isWrong = Int.random(in: 0..<12, using: &generator) == 0
            if let stored = model.stored[key] {
                if isWrong {
                    let stale = ReferenceModel.Stored(draft: stored.draft, version: stored.version + 1)
                    parts.append(Bool.random(using: &generator) ? .delete(stale) : .insert(randomDraft(key)))
                } else if Int.random(in: 0..<4, using: &generator) == 0 {
                    parts.append(.delete(stored))
                } else {
                    parts.append(.update(stored, to: randomDraft(key)))
                }
            } else if isWrong {
                let gone = ReferenceModel.Stored(draft: randomDraft(key), version: 1)
                parts.append(.update(gone, to: randomDraft(key)))
            } else {
                parts.append(.insert(randomDraft(key)))
            }
        }
        return parts
    }

    private mutating func randomDraft(_ key: String) -> Draft {
        Draft(
            key: key,
            text: "step \(step)",
            rank: Bool.random(using: &generator) ? randomValue() : nil,
            labels: (0..<Int.random(in: 0...3, using: &generator)).map { _ in randomValue() },
            codes: Int.random(in: 0..<3, using: &generator) == 0 ? [randomValue()] : []
        )
    }

    private mutating func randomValue() -> EntryValue {
        Self.values[Int.random(in: 0..<Self.values.count, using: &generator)]
    }

    private mutating func randomQuery() -> DocumentQuery {
        let indexes = ["rank", "label", "code"]
        func index() -> String { indexes[Int.random(in: 0..<3, using: &generator)] }
        let conditions = (0..<Int.random(in: 0...2, using: &generator)).map { _ in
            let test: IndexPredicate =
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: .oneOf(Set((0..<3).map { _ in randomValue().indexValue }))
                case 1: .oneOf([randomValue().indexValue])
                case 2: .range(from: randomValue().indexValue, below: nil)
                default: .range(from: randomValue().indexValue, below: randomValue().indexValue)
                }
            return DocumentQuery.Condition(index: index(), test: test)
        }
        let order =
            Bool.random(using: &generator)
            ? DocumentQuery.Order(index: index(), isDescending: Bool.random(using: &generator)) : nil
        let place = DocumentQuery.Place(
            value: order.map { _ in randomValue().indexValue },
            key: "\(Int.random(in: 0..<10, using: &generator))"
        )
        return DocumentQuery(
            kind: ContractEntity.entityName,
            conditions: conditions,
            order: order,
            after: Bool.random(using: &generator) ? place : nil,
            limit: Bool.random(using: &generator) ? Int.random(in: 0...6, using: &generator) : nil
        )
    }

    private mutating func compare(_ store: any EntityStore) async throws {
        let place = "after step \(step) of seed \(seed)"
        let all = DocumentQuery(kind: ContractEntity.entityName)
        try requireEqual(try await store.fetch(all), try model.fetch(all), "the store \(place)")
        try requireEqual(
            try await store.events(after: 0, limit: .max).map(\.event),
            model.events,
            "the log \(place)"
        )
        for _ in 0..<4 {
            let query = randomQuery()
            let documents = try await store.fetch(query)
            try requireKeys(documents, try model.fetch(query).map(\.reference.key), "\(query) \(place)")
        }
    }
}
