// SPDX-License-Identifier: Apache-2.0

import HeadraceDomain
import HeadraceStorage

/// The number of matches, and the end of the use of a store.
extension StoreContract {
    static let countChecks: [Check] = [
        Check("a count is the number of fetched documents, for each condition, order, start position and limit") {
            fixture in
            let store = try await fixture.open()
            let drafts: [Draft] = (0..<12).map { (number: Int64) in
                var draft = Draft(key: "key \(number)")
                if number % 4 > 0 { draft.rank = .number(number % 3) }
                draft.labels = [.number(number), .text("even or odd \(number % 2)"), .text("all")]
                return draft
            }
            try await store.commit(ChangeSet().inserting(drafts))
            let moment = try await store.snapshot()
            try await store.commit(ChangeSet().inserting(Draft(key: "later", rank: 1, labels: ["all", "later"])))

            for query in countedQueries {
                for (name, reader) in [("the store", store as any EntityReader), ("a snapshot", moment)] {
                    let wanted = try await reader.fetch(query).count
                    try requireEqual(try await reader.count(query), wanted, "the count of \(query) in \(name)")
                }
            }
            let later = DocumentQuery.Condition(index: "label", test: .oneOf([.text("later")]))
            let query = DocumentQuery(kind: ContractEntity.entityName, conditions: [later])
            try requireEqual(try await store.count(query), 1, "the count of a later insertion in the store")
            try requireEqual(try await moment.count(query), 0, "the count of a later insertion in an earlier snapshot")
        },
        Check("a count with an index that isn't declared throws the code 'unknownIndex'") { fixture in
            let store = try await fixture.open()
            let condition = DocumentQuery.Condition(index: "nobody declared this", test: .oneOf([.text("x")]))
            let query = DocumentQuery(kind: ContractEntity.entityName, conditions: [condition])

            for reader in [store as any EntityReader, try await store.snapshot()] {
                var code: StoreError.Code?
                do { _ = try await reader.count(query) } catch let error as StoreError { code = error.code }
                try requireEqual(code, .unknownIndex, "the error of a count with an undeclared index")
            }
        },
        Check("a context counts its own changes, and reads no entity") { fixture in
            let store = try await fixture.open()
            try await store.commit(
                ChangeSet().inserting(
                    ["a", "a", "a", "b"].enumerated().map { Draft(key: "\($0)", labels: [.text($1)]) }))
            let context = EntityContext(store)
            let labelled = EntityIndex<ContractEntity>("label", each: { $0.draft.labels })

            context.insert(ContractEntity(Draft(key: "new", labels: ["a"])))
            if let deleted = try await context.find(ContractEntity.self, id: "0") { context.delete(deleted) }

            try requireEqual(try await context.count(ContractEntity.self), 4, "the count of all entities")
            try requireEqual(
                try await context.count(ContractEntity.self, where: [.equals(labelled, "a")]), 3,
                "the count of the entities with a label")
        },
    ]

    private static var countedQueries: [DocumentQuery] {
        let conditions: [[DocumentQuery.Condition]] = [
            [],
            [.init(index: "label", test: .oneOf([.text("all")]))],
            [.init(index: "label", test: .oneOf([.integer(3), .text("even or odd 1"), .text("missing")]))],
            [
                .init(index: "rank", test: .range(from: .integer(1), below: nil)),
                .init(index: "label", test: .range(from: nil, below: .integer(7))),
            ],
            [.init(index: "label", test: .oneOf([.text("missing")]))],
        ]
        let rank = DocumentQuery.Order(index: "rank", isDescending: false)
        let label = DocumentQuery.Order(index: "label", isDescending: true)
        return conditions.flatMap { conditions in
            [nil, rank, label].flatMap { order in
                [nil, 0, 2, 100].map { limit in
                    DocumentQuery(kind: ContractEntity.entityName, conditions: conditions, order: order, limit: limit)
                }
            } + [
                DocumentQuery(
                    kind: ContractEntity.entityName,
                    conditions: conditions,
                    after: DocumentQuery.Place(value: nil, key: "key 3")
                )
            ]
        }
    }

    static let closingChecks: [Check] = [
        Check("a store can be closed twice, and a closed store throws no code other than 'closed'") { fixture in
            let store = try await fixture.open()
            let draft = Draft(key: "a")
            try await store.commit(ChangeSet().inserting(draft))

            try store.close()
            try store.close()

            do {
                try requireEqual(
                    try await store.find(draft.reference)?.version, 1, "the document in a store without files")
            } catch let error as StoreError {
                try requireEqual(error.code, .closed, "the code of the error of a closed store")
            }
        }
    ]
}
