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
    /// The result of a prediction.
    private struct Made {
        /// The position of the feed of the device's store before the prediction.
        let position: Int

        /// Whether it continues the prediction before, with the same entities.
        let isContinued: Bool

        /// The commands that it includes.
        var commands: [UUID]
        var contents: InMemoryStore.Contents
    }

    private let store: PredictedStore
    private let dispatcher: any CommandQueryDispatcher
    private let outbox: Outbox
    private let types: OfflineCommandTypes

    /// Makes one prediction at a time.
    private let lock = KeyedLock<Int>()

    private let last = Mutex<Made?>(nil)

    /// The position of the feed of the device's store that the prediction includes.
    private var position: Int { last.withLock { $0?.position ?? -1 } }

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
            try await outbox.store.commitFeed.waitForCommit(after: position)
        }
    }

    /// Makes the prediction again, unless it includes all commits up to now.
    ///
    /// - Complexity: O(*n*) in the entities of the device and the pending commands; after a command was sent, O(1) in the entities that
    ///   its handler uses, and O(*p*) in the *p* pending commands, which are read and not executed.
    nonisolated(nonsending) func refresh() async throws {
        let wanted = outbox.store.commitFeed.position
        try await lock.withLock(0) {
            if position < wanted { try await predict() }
        }
    }

    private nonisolated(nonsending) func predict() async throws {
        let position = outbox.store.commitFeed.position
        let snapshot = try await outbox.store.snapshot()
        let pending: [StoredOfflineCommand] = try await snapshot.fetch(Outbox.allCommands).map {
            try DocumentCoding.decode($0)
        }
        let expected = pending.filter { !$0.isRejected }
        var made = try await begin(of: expected.map(\.id), in: snapshot, at: position)

        let working = InMemoryStore(schema: store.schema)
        working.restore(made.contents)
        var conflicts: [UUID: PendingCommand.Failure?] = [:]
        for command in expected.dropFirst(made.commands.count) {
            var conflict: PendingCommand.Failure?
            do {
                try await execute(Outbox.Command(command), in: working)
            } catch {
                if Task.isCancelled { throw CancellationError() }
                working.restore(made.contents)
                conflict = PendingCommand.Failure(error)
            }
            made.contents = working.contents
            made.commands.append(command.id)
            // The text of an error can differ each time.
            if conflict?.code != command.conflict?.code { conflicts[command.id] = .some(conflict) }
        }
        let isShown = last.withLock { last in
            defer { last = made }
            return last?.commands == made.commands && made.isContinued
        }
        if !isShown { store.show(made.contents) }
        for (id, conflict) in conflicts { try await outbox.change(id) { command, _ in command.conflict = conflict } }
    }

    /// Returns the last prediction if `commands` are its commands and later ones, and the entities are the same; otherwise, a prediction
    /// of no commands.
    private nonisolated(nonsending) func begin(
        of commands: [UUID],
        in snapshot: any EntityReader,
        at position: Int
    ) async throws -> Made {
        let kinds = store.schema.kinds.map(\.name).filter { $0 != StoredOfflineCommand.entityName }
        let subjects = Set(kinds.map { CommitFeed.Subject.entities($0) })
        // A commit that is in the snapshot and not yet in the feed may be missing. The feed causes the next prediction, and until then
        // the last one is still consistent.
        if let last = last.withLock(\.self), commands.starts(with: last.commands),
            !outbox.store.commitFeed.hasChanged(subjects, after: last.position)
        {
            return Made(
                position: position, isContinued: true, commands: last.commands, contents: last.contents)
        }
        var documents: [StoredDocument] = []
        for kind in kinds { documents += try await snapshot.fetch(DocumentQuery(kind: kind)) }
        let contents = try InMemoryStore.Contents(documents, of: store.schema)
        return Made(position: position, isContinued: false, commands: [], contents: contents)
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
