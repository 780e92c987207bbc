// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceStorage
import Synchronization

/// A queue of commits: units that wait at the same time share a call, and so the wait for the disk.
///
/// No timer delays a commit to fill a batch: the next batch collects while a call runs. The server executes one call at a
/// time, but while one waits for the disk or for the network, another one can change the tables. So there can be several
/// calls on the way, but no small call beside a large one: the start of a call costs as much as several units.
final class CommitQueue: Sendable {
    private struct Entry: Sendable {
        let unit: CommitUnit
        let continuation: CheckedContinuation<Void, any Error>

        /// The time of the call; `nil` without an observer.
        let queued: ContinuousClock.Instant?
    }

    private struct State {
        var waiting: [Entry] = []

        /// The numbers of the committers that have no call on the way.
        var idle: [Int]

        /// Number of committers that are about to take units.
        var collectorCount = 0

        /// The units on the way, by the number of the committer.
        var calls: [Call]

        /// Whether the units that wait are worth another call.
        var isCallDue: Bool { !waiting.isEmpty && waiting.count >= calls.reduce(0) { $0 + $1.count } }
    }

    private struct Call {
        var count = 0
        var byteCount = 0
        var subjects: Set<CommitUnit.Subject> = []
    }

    /// Maximum number of units in one call, so that the first doesn't wait long for the last.
    private static let largestBatch = 128

    /// Maximum length of the documents and messages in one call, unless a single unit has more, in bytes.
    private static let longestBatch = 8 << 20

    private let state: Mutex<State>
    private let committers: [BatchCommitter]
    private let meter: CommitMeter?

    /// Creates a queue with at most one call on the way for each of `committers`.
    init(_ committers: [BatchCommitter], meter: CommitMeter?) {
        self.committers = committers
        self.meter = meter
        state = Mutex(State(idle: Array(committers.indices.reversed()), calls: committers.map { _ in Call() }))
    }

    /// Commits `unit` and returns when it is as durable as requested; cancellation doesn't stop it.
    ///
    /// - Throws: The error of this unit. Errors of other units in the batch are not thrown.
    func commitInTurn(_ unit: CommitUnit) async throws {
        let queued = meter?.now
        try await withCheckedThrowingContinuation { continuation in
            let idle = state.withLock { state -> Int? in
                state.waiting.append(Entry(unit: unit, continuation: continuation, queued: queued))
                guard state.collectorCount == 0, state.isCallDue, let idle = state.idle.popLast() else { return nil }
                state.collectorCount = 1
                return idle
            }
            // Not a child of the caller's task, which can end before the units that come later.
            if let idle { Task.detached { await self.run(idle) } }
        }
    }

    private func run(_ number: Int) async {
        while let batch = takeBatch(number) {
            let begin = meter?.now
            let resumed = Mutex<Set<Int>>([])
            let outcomes = await committers[number].run(batch.map(\.unit)) { index, outcome in
                if resumed.withLock({ $0.insert(index).inserted }) { batch[index].continuation.resume(with: outcome) }
            }
            let waitingCount = state.withLock { state in
                state.calls[number] = Call()
                state.collectorCount += 1
                return state.waiting.count
            }
            if let meter, let begin {
                meter.report(outcomes, queued: batch.first?.queued, begin: begin, waitingCount: waitingCount)
            }
            let early = resumed.withLock(\.self)
            for (index, outcome) in outcomes.enumerated() where !early.contains(index) {
                batch[index].continuation.resume(with: outcome)
            }
            // The callers that go on with another commit join the next batch. Otherwise, it would have few units.
            await Task.yield()
        }
    }

    /// Takes the first units that have no subject in common with each other or with units on the way; the others stay in
    /// their order.
    private func takeBatch(_ number: Int) -> [Entry]? {
        state.withLock { state in
            state.collectorCount -= 1
            var batch: [Entry] = []
            var rest: [Entry] = []
            var call = Call()
            // A unit that waits keeps its place before later units with the same subject.
            var subjects = state.calls.reduce(into: Set()) { $0.formUnion($1.subjects) }
            for (index, entry) in state.waiting.enumerated() where state.isCallDue {
                let isFull = call.count > 0 && call.byteCount + entry.unit.byteCount > Self.longestBatch
                if isFull || call.count == Self.largestBatch {
                    rest += state.waiting[index...]
                    break
                }
                if subjects.isDisjoint(with: entry.unit.subjects) {
                    batch.append(entry)
                    call.count += 1
                    call.byteCount += entry.unit.byteCount
                    call.subjects.formUnion(entry.unit.subjects)
                } else {
                    rest.append(entry)
                }
                subjects.formUnion(entry.unit.subjects)
            }
            if batch.isEmpty {
                // Another call is on the way, and its committer takes the units that still wait.
                state.idle.append(number)
                return nil
            }
            state.waiting = rest
            state.calls[number] = call
            return batch
        }
    }
}

/// A unit of work that waits for its commit.
struct CommitUnit: Sendable {
    /// Something that only one unit of a batch can use, because the units of a batch are checked before any is written.
    enum Subject: Hashable {
        case entity(EntityReference)
        case idempotencyKey(BytewiseString)
        case unique(index: Int64, value: IndexValue)
        case lane(Int64)
        case message(UUID)
    }

    let changes: ChangeSet
    let work: [StatementWork]
    let subjects: Set<Subject>

    /// Length of its documents, messages, and plain SQL in bytes.
    let byteCount: Int

    /// - Throws: ``HeadraceStorage/StoreError`` if the store can't keep the changes.
    init(_ changes: ChangeSet, numbers: PostgresSchemaIDs) throws {
        let references = changes.writes.map(\.document.reference) + changes.deletions.map(\.reference)
        if let undeclared = references.first(where: { numbers.kind($0.kind) == nil }) {
            throw StoreError.undeclaredEntity(undeclared)
        }
        try TextLimit.require(changes)
        work = changes.work.compactMap { $0 as? StatementWork }
        for statement in work { try statement.requireText() }
        var subjects: Set<Subject> = []
        for reference in references + changes.requirements.map(\.reference) { subjects.insert(.entity(reference)) }
        func insert(_ entries: Set<ChangeSet.IndexEntry>, of kind: String) {
            for entry in entries {
                guard let index = numbers.index(entry.index, of: kind), index.isUnique else { continue }
                subjects.insert(.unique(index: index.id, value: entry.value))
            }
        }
        for write in changes.writes {
            insert(write.addedEntries.union(write.removedEntries), of: write.document.reference.kind)
        }
        for deletion in changes.deletions { insert(deletion.removedEntries, of: deletion.reference.kind) }
        for record in changes.idempotencyRecords { subjects.insert(.idempotencyKey(BytewiseString(record.key))) }
        for settlement in changes.settlements { subjects.insert(.lane(settlement.lease.lane)) }
        for id in changes.scheduled.map(\.id) + changes.cancellations { subjects.insert(.message(id)) }
        byteCount = changes.byteCount + work.reduce(0) { $0 + $1.byteCount }
        try TextLimit.require(byteCount)
        self.changes = changes
        self.subjects = subjects
    }
}

extension ChangeSet {
    /// Length of the documents and messages in bytes.
    fileprivate var byteCount: Int {
        var count = 0
        for document in writes.map(\.document) + requirements { count += document.json.count }
        for event in events { count += event.json.count }
        for message in scheduled { count += message.json.count }
        for record in idempotencyRecords { count += record.command.count + record.outcome.count }
        return count
    }
}

extension StatementWork {
    /// Length of the SQL and its arguments in bytes.
    fileprivate var byteCount: Int { arguments.reduce(sql.utf8.count) { $0 + ($1.text?.utf8.count ?? 0) } }
}

/// Why the procedure has refused a unit of work.
struct CommitRefusal: Decodable {
    /// The causes, in the order in which they count.
    enum Cause: Int, Decodable {
        case keyTaken = 1
        case requirement, deletion, write, unique, leaseLost
    }

    let unit: Int
    let cause: Cause

    /// The number of the argument concerned, counting from 1.
    let item: Int

    /// The stored version of the entity, if it exists.
    let stored: Int?

    /// The key of the entity that has a unique value.
    let other: String

    init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        unit = try values.decode(Int.self)
        cause = try values.decode(Cause.self)
        item = try values.decode(Int.self)
        stored = try values.decodeIfPresent(Int.self)
        let digits = Array(try values.decodeIfPresent(String.self)?.utf8 ?? "".utf8)
        let bytes = stride(from: 0, to: digits.count - digits.count % 2, by: 2).compactMap {
            UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
        }
        other = String(decoding: bytes, as: UTF8.self)
    }

    /// Reads the refusals that the procedure has returned.
    static func list(_ json: String) throws -> [CommitRefusal] {
        // Most batches have none.
        json == "[]" ? [] : try JSONDecoder().decode([CommitRefusal].self, from: Data(json.utf8))
    }
}
#endif
