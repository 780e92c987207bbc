// SPDX-License-Identifier: Apache-2.0

#if Client
import Foundation
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceStorage
import Synchronization

/// Executes the pending commands on a copy of the device's entities.
final class Prediction: Sendable {
    private let store: PredictedStore
    private let dispatcher: any CommandQueryDispatcher
    private let outbox: Outbox
    private let types: OfflineCommandTypes

    /// Makes one prediction at a time.
    private let lock = KeyedLock<Int>()

    /// The position of the feed of the device's store before the last prediction.
    private let position = Mutex(-1)

    init(
        in store: PredictedStore,
        by dispatcher: any CommandQueryDispatcher,
        outbox: Outbox,
        types: OfflineCommandTypes
    ) {
        self.store = store
        self.dispatcher = dispatcher
        self.outbox = outbox
        self.types = types
    }

    /// Keeps the prediction current, until the task is cancelled.
    func run() async throws {
        while true {
            try await refresh()
            try await outbox.store.commitFeed.waitForCommit(after: position.withLock(\.self))
        }
    }

    /// Makes the prediction again, unless it includes all commits up to now.
    nonisolated(nonsending) func refresh() async throws {
        let feed = outbox.store.commitFeed
        let wanted = feed.position
        try await lock.withLock(0) {
            if position.withLock({ $0 >= wanted }) { return }
            let begin = feed.position
            try await predict()
            position.withLock { $0 = begin }
        }
    }

    private nonisolated(nonsending) func predict() async throws {
        let snapshot = try await outbox.store.snapshot()
        var documents: [StoredDocument] = []
        for kind in store.schema.kinds where kind.name != StoredOfflineCommand.entityName {
            documents += try await snapshot.fetch(DocumentQuery(kind: kind.name))
        }
        let pending: [StoredOfflineCommand] = try await snapshot.fetch(Outbox.allCommands).map {
            try DocumentCoding.decode($0)
        }
        let working = InMemoryStore(schema: store.schema)
        working.restore(try InMemoryStore.Contents(documents, of: store.schema))

        var conflicts: [UUID: PendingCommand.Failure?] = [:]
        for command in pending where !command.isRejected {
            let before = working.contents
            var conflict: PendingCommand.Failure?
            do {
                try await execute(Outbox.Command(command), in: working)
            } catch {
                if Task.isCancelled { throw CancellationError() }
                working.restore(before)
                conflict = PendingCommand.Failure(error)
            }
            // The text of an error can differ each time.
            if conflict?.code != command.conflict?.code { conflicts[command.id] = .some(conflict) }
        }
        store.show(working.contents)
        for (id, conflict) in conflicts { try await outbox.change(id) { command, _ in command.conflict = conflict } }
    }

    private nonisolated(nonsending) func execute(_ command: Outbox.Command, in working: InMemoryStore) async throws {
        let type = try types.type(named: command.name)
        try await SystemValues.withCurrent(values(for: command)) {
            try await store.working(on: working) { try await execute(command, as: type) }
        }
    }

    private nonisolated(nonsending) func execute<Command: OfflineCommand>(
        _ stored: Outbox.Command,
        as type: Command.Type
    ) async throws {
        let command = try type.decode(kept: stored.json, version: stored.version)
        let _: Command.Output = try await stored.withOrigin(of: type) { try await dispatcher.dispatch(command) }
    }

    /// Returns the date at which `command` was sent, and the same UUIDs and random numbers for each prediction.
    private func values(for command: Outbox.Command) -> SystemValues {
        let seed = command.id.storageKey.utf8.reduce(UInt64(0)) { ($0 << 5 | $0 >> 59) ^ UInt64($1) }
        let numbers = SharedNumbers(seed: seed)
        let sequence = Version7Sequence()
        let now = UInt64(max(0, command.sentAt.timeIntervalSince1970 * 1_000))
        var values = SystemValues.current
        values.date = { command.sentAt }
        values.uuid = { sequence.next(now: now, random: numbers.next()) }
        values.randomNumbers = RandomNumbers { numbers.next() }
        return values
    }
}

/// Random numbers that several tasks can share.
private final class SharedNumbers: Sendable {
    private let numbers: Mutex<SplitMix>

    init(seed: UInt64) {
        numbers = Mutex(SplitMix(seed: seed))
    }

    func next() -> UInt64 { numbers.withLock { $0.next() } }
}
#endif
