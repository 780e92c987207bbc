// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStorage

extension StoreContract {
    static let eventChecks: [Check] = [
        Check("an event is read as it was recorded") { fixture in
            let store = try await fixture.open()
            var events: [NewEvent] = []
            for (number, text) in edgeCaseTexts.enumerated() {
                events.append(
                    NewEvent(
                        id: UUID(),
                        name: text,
                        version: number + 1,
                        stream: number % 2 == 0 ? EntityReference(kind: "kind \(text)", key: text) : nil,
                        recordedAt: Date(timeIntervalSince1970: Double(number) * 123_456_789.123 - 1_000_000_000),
                        json: try JSONEncoder().encode([text])
                    )
                )
            }

            try await store.commit(ChangeSet(events: events))

            let records = try await store.events(after: 0, limit: .max)
            try requireEqual(records.count, events.count, "the number of events")
            for (record, event) in zip(records, events) {
                let subject = "event \(event.version)"
                try requireEqual(record.event, event, subject)
                try requireEqual(Array(record.event.name.utf8), Array(event.name.utf8), "the name of \(subject)")
                try requireEqual(
                    record.event.stream.map { Array($0.key.utf8) },
                    event.stream.map { Array($0.key.utf8) },
                    "the stream of \(subject)"
                )
            }
        },
        Check("positions grow strictly, in the order of commits and within them") { fixture in
            let store = try await fixture.open()

            for number in 0..<UInt8(20) {
                try await store.commit(ChangeSet().recording(.numbered(number * 2), .numbered(number * 2 + 1)))
            }

            let records = try await store.events(after: 0, limit: .max)
            try requireEqual(records.map(\.event), (0..<40).map { .numbered($0) }, "the log")
            try require(records.allSatisfy { $0.position > 0 }, "every position is greater than 0")
            try require(
                zip(records, records.dropFirst()).allSatisfy { $0.position < $1.position },
                "positions grow",
                "they are \(records.map(\.position))"
            )
        },
        Check("pages of any size are complete and do not repeat events") { fixture in
            let store = try await fixture.open()
            for number in 0..<UInt8(23) {
                try await store.commit(ChangeSet().recording(.numbered(number)))
                // A refused commit must not use a position, because readers would wait for it.
                try await store.refuse(
                    ChangeSet().deleting(Draft(key: "a"), at: 1).recording(.numbered(99)),
                    with: .versionConflict,
                    "a deletion of nothing"
                )
            }
            let all = try await store.events(after: 0, limit: .max)
            try requireEqual(all.map(\.event), (0..<23).map { .numbered($0) }, "the log")

            for size in [1, 2, 5, 22, 23, 24] {
                var paged: [EventRecord] = []
                while true {
                    let page = try await store.events(after: paged.last?.position ?? 0, limit: size)
                    try require(page.count <= size, "a page has at most \(size) events", "it has \(page.count)")
                    if page.isEmpty { break }
                    paged += page
                    try require(paged.count <= all.count, "pages of \(size) do not repeat events", "they do")
                }
                try requireEqual(paged, all, "the log read in pages of \(size)")
            }
        },
        Check(
            "a limit of zero or less, or a position after the end, returns no events; a position before the start returns all"
        ) {
            fixture in
            let store = try await fixture.open()
            try await store.commit(ChangeSet().recording(.numbered(1), .numbered(2)))
            let all = try await store.events(after: 0, limit: 10)

            try requireEqual(all.count, 2, "the number of events")
            for limit in [0, -1, .min] {
                try requireEqual(try await store.events(after: 0, limit: limit), [], "a limit of \(limit)")
            }
            for position in [all[1].position, all[1].position + 1, .max] {
                try requireEqual(try await store.events(after: position, limit: 10), [], "after \(position)")
            }
            for position in [-1, .min] as [Int64] {
                try requireEqual(try await store.events(after: position, limit: 10), all, "after \(position)")
            }
        },
        Check("events are stored without changes, and changes without events") { fixture in
            let store = try await fixture.open()

            try await store.commit(ChangeSet().recording(.numbered(1, stream: Draft(key: "a").reference)))
            try await store.commit(ChangeSet().inserting(Draft(key: "a")))
            try await store.commit(ChangeSet())

            try requireEqual(try await store.events(after: 0, limit: 10).count, 1, "the number of events")
            try requireKeys(try await store.fetch(DocumentQuery(kind: ContractEntity.entityName)), ["a"], "the store")
        },
        Check("a reader never sees an event before an event that precedes it in the log") { fixture in
            let store = try await fixture.open()

            // A reader that reads the log to its end and continues from there must not miss an event: the result of
            // each read is a prefix of all later results.
            let readings = try await withThrowingTaskGroup(of: [[Int64]].self) { group in
                for writer in 0..<UInt8(8) {
                    group.addTask {
                        var readings: [[Int64]] = []
                        for _ in 0..<8 {
                            try await store.commit(ChangeSet().recording(.numbered(writer), .numbered(writer)))
                            readings.append(try await store.events(after: 0, limit: .max).map(\.position))
                        }
                        return readings
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }

            let all = try await store.events(after: 0, limit: .max)
            try requireEqual(all.count, 128, "the number of events")
            for reading in readings {
                try require(
                    all.map(\.position).starts(with: reading),
                    "each result is a prefix of the log",
                    "\(reading) is not a prefix of \(all.map(\.position))"
                )
            }
            // The two events of a commit are adjacent.
            for pair in stride(from: 0, to: all.count, by: 2) {
                try requireEqual(all[pair].event, all[pair + 1].event, "the neighbour of event \(pair)")
            }
        },
    ]
}
