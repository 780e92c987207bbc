// SPDX-License-Identifier: Apache-2.0

import HeadraceStorage

extension StoreContract {
    static let versionChecks: [Check] = [
        Check("an empty store has neither documents nor events") { fixture in
            let store = try await fixture.open()

            let snapshot = try await store.contents()

            try requireEqual(snapshot.documents, [], "the list of documents")
            try requireEqual(snapshot.events, [], "the list of events")
            try requireEqual(try await store.find(Draft(key: "a").reference), nil, "the result of find")
        },
        Check("an inserted document is found unchanged, at version 1") { fixture in
            let store = try await fixture.open()
            let draft = Draft(key: "a", text: "first")

            try await store.commit(ChangeSet().inserting(draft))

            try requireEqual(try await store.find(draft.reference), try draft.document(version: 1), "the document")
        },
        Check("an update replaces the document and increments its version") { fixture in
            let store = try await fixture.open()
            let first = Draft(key: "a", text: "first")
            try await store.commit(ChangeSet().inserting(first))

            for version in 1...5 {
                let next = Draft(key: "a", text: "version \(version + 1)")
                try await store.commit(ChangeSet().updating(first, at: version, to: next))
                try requireEqual(
                    try await store.find(first.reference),
                    try next.document(version: version + 1),
                    "the document"
                )
            }
        },
        Check("a required document must be stored unchanged, or nothing is stored") { fixture in
            let store = try await fixture.open()
            let first = Draft(key: "a", text: "first")
            let second = Draft(key: "a", text: "second")
            let other = Draft(key: "b", text: "other")
            try await store.commit(ChangeSet().inserting(first))
            try await store.commit(ChangeSet().updating(first, at: 1, to: second))
            let before = try await store.contents()

            for wrong in [
                try first.document(version: 1), try first.document(version: 2), try second.document(version: 1),
                try second.document(version: 3), try other.document(version: 1),
            ] {
                for var changes in [
                    try ChangeSet(events: [.numbered(1)]).inserting(other),
                    try ChangeSet(events: [.numbered(1)]).updating(second, at: 2, to: first),
                ] {
                    changes.requirements = [try second.document(version: 2), wrong]
                    let error = try await store.refuse(
                        changes, with: [.versionConflict], "a change set that requires \(wrong)")
                    try requireEqual(error.entity, wrong.reference, "the entity of the error")
                }
            }
            try requireEqual(try await store.contents(), before, "the store after refusals")

            var changes = try ChangeSet().updating(second, at: 2, to: first)
            changes.requirements = [try second.document(version: 2)]
            try await store.commit(changes)
            try requireEqual(try await store.find(first.reference), try first.document(version: 3), "the document")
        },
        Check("a deleted document is removed and its key is free again") { fixture in
            let store = try await fixture.open()
            let draft = Draft(key: "a", text: "first", rank: 1, labels: ["x"], codes: ["c"])
            try await store.commit(ChangeSet().inserting(draft))

            try await store.commit(ChangeSet().deleting(draft, at: 1))

            try requireEqual(try await store.find(draft.reference), nil, "the result of find")
            try requireEqual(try await store.contents().indexes.flatMap { $0 }, [], "the content of the indexes")
            try await store.commit(ChangeSet().inserting(draft))
            try requireEqual(try await store.find(draft.reference)?.version, 1, "the version of the next document")
        },
        Check("an update of a stale version is refused and names both versions") { fixture in
            let store = try await fixture.open()
            let draft = Draft(key: "a", text: "first")
            try await store.commit(ChangeSet().inserting(draft))
            try await store.commit(ChangeSet().updating(draft, at: 1, to: draft))

            let error = try await store.refuse(
                ChangeSet().updating(draft, at: 1, to: Draft(key: "a", text: "lost")),
                with: .versionConflict,
                "an update of version 1 if 2 is stored"
            )

            try requireEqual(error.entity, draft.reference, "the entity of the error")
            try requireEqual(
                error.message,
                StoreError.versionConflict(draft.reference, expected: 1, stored: 2).message,
                "the message"
            )
            try requireEqual(try await store.find(draft.reference), try draft.document(version: 2), "the document")
        },
        Check("an update of a version that does not exist yet is refused") { fixture in
            let store = try await fixture.open()
            let draft = Draft(key: "a")
            try await store.commit(ChangeSet().inserting(draft))

            try await store.refuse(
                ChangeSet().updating(draft, at: 2, to: draft),
                with: .versionConflict,
                "an update of version 2 if 1 is stored"
            )
        },
        Check("an update of a deleted document is refused with a clear message") { fixture in
            let store = try await fixture.open()
            let draft = Draft(key: "a")

            let error = try await store.refuse(
                ChangeSet().updating(draft, at: 1, to: draft),
                with: .versionConflict,
                "an update of a missing document"
            )

            try requireEqual(
                error.message,
                StoreError.versionConflict(draft.reference, expected: 1, stored: nil).message,
                "the message"
            )
        },
        Check("an insertion under a taken key is refused and names it") { fixture in
            let store = try await fixture.open()
            let draft = Draft(key: "a", text: "first")
            try await store.commit(ChangeSet().inserting(draft))

            let error = try await store.refuse(
                ChangeSet().inserting(Draft(key: "a", text: "second")),
                with: .alreadyExists,
                "an insertion under a taken key"
            )

            try requireEqual(error.entity, draft.reference, "the entity of the error")
            try requireEqual(try await store.find(draft.reference), try draft.document(version: 1), "the document")
        },
        Check("a deletion of a stale version, or of nothing, is refused") { fixture in
            let store = try await fixture.open()
            let draft = Draft(key: "a")
            try await store.commit(ChangeSet().inserting(draft))
            try await store.commit(ChangeSet().updating(draft, at: 1, to: draft))

            let stale = try await store.refuse(
                ChangeSet().deleting(draft, at: 1),
                with: .versionConflict,
                "a deletion of version 1 if 2 is stored"
            )
            let missing = try await store.refuse(
                ChangeSet().deleting(Draft(key: "b"), at: 1),
                with: .versionConflict,
                "a deletion of nothing"
            )

            try requireEqual(
                stale.message,
                StoreError.versionConflict(draft.reference, expected: 1, stored: 2).message,
                "the message for a stale version"
            )
            try requireEqual(
                missing.message,
                StoreError.versionConflict(Draft(key: "b").reference, expected: 1, stored: nil).message,
                "the message for a missing document"
            )
            try requireEqual(try await store.find(draft.reference)?.version, 2, "the version")
        },
        Check("kinds do not share keys, index entries or unique values") { fixture in
            let store = try await fixture.openStore([ContractEntity.self, OtherContractEntity.self])
            let draft = Draft(key: "a", codes: ["c"])
            let other = OtherContractEntity.entityName

            try await store.commit(ChangeSet().inserting(draft).inserting([draft], kind: other))

            try requireEqual(
                try await store.find(EntityReference(kind: other, key: "a")),
                try draft.document(version: 1, kind: other),
                "the document of the other kind"
            )
            try requireKeys(try await store.fetch(DocumentQuery(kind: other)), ["a"], "the other kind")
            try requireEqual(
                try await store.fetch(where: "code", .oneOf([.text("c")])),
                [try draft.document(version: 1)],
                "the document with the code"
            )
        },
        Check("writing an undeclared kind is refused, and reading it returns nothing") { fixture in
            let store = try await fixture.open()
            let undeclared = "undeclared-entity"

            try await store.refuse(
                ChangeSet().inserting([Draft(key: "a")], kind: undeclared).recording(.numbered(1)),
                with: .undeclaredEntity,
                "a write of an undeclared kind"
            )

            try requireEqual(
                try await store.find(EntityReference(kind: undeclared, key: "a")), nil, "the result of find")
            try requireKeys(try await store.fetch(DocumentQuery(kind: undeclared)), [], "a fetch")
            try requireEqual(try await store.events(after: 0, limit: 10), [], "the list of events")
        },
        Check("keys are preserved byte for byte") { fixture in
            let store = try await fixture.open()
            let keys = edgeCaseTexts

            for (number, key) in keys.enumerated() {
                try await store.commit(ChangeSet().inserting(Draft(key: key, rank: .number(Int64(number)))))
            }

            let sorted = keys.sorted { EntryValue.text($0).precedes(.text($1)) }
            try requireKeys(try await store.fetch(DocumentQuery(kind: ContractEntity.entityName)), sorted, "a fetch")
            try requireKeys(try await store.fetch(orderedBy: "rank"), keys, "a fetch in the order inserted")
            for (number, key) in keys.enumerated() {
                let draft = Draft(key: key, rank: .number(Int64(number)))
                let document = try await store.find(draft.reference)
                try requireKeys(document.map { [$0] } ?? [], [key], "the search for key \(number)")
                try requireEqual(document, try draft.document(version: 1), "the document of key \(number)")
                try await store.commit(ChangeSet().deleting(draft, at: 1))
                try requireEqual(try await store.find(draft.reference), nil, "the document of key \(number)")
            }
        },
        Check("a document is preserved byte for byte") { fixture in
            let store = try await fixture.open()

            for (number, text) in edgeCaseTexts.enumerated() {
                let draft = Draft(key: "\(number)", text: text)
                try await store.commit(ChangeSet().inserting(draft))
                try requireEqual(
                    try await store.find(draft.reference),
                    try draft.document(version: 1),
                    "the document of text \(number)"
                )
            }
        },
    ]
}
