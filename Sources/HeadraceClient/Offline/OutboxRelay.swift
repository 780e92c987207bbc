// SPDX-License-Identifier: Apache-2.0

#if Client
import Foundation
import HTTPTypes
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceStorage
import Synchronization

/// Sends the commands of an outbox, each after those before it that have its order key.
final class OutboxRelay: Sendable {
    /// The end of an attempt.
    private enum Outcome {
        case carriedOut
        case rejected(any Error)

        /// Another attempt may succeed. If the server can't work at all, all commands pause.
        case failed(any Error, pausesAll: Bool)
    }

    let remote: RemoteDispatcher
    let outbox: Outbox
    let types: OfflineCommandTypes
    private let configuration: OfflineDispatcher.Configuration

    let state = Mutex(OutboxState())

    /// Notifies the run and the replicas of a change of the state.
    let signal = DeliverySignal()

    init(_ remote: RemoteDispatcher, outbox: Outbox, configuration: OfflineDispatcher.Configuration) {
        self.remote = remote
        self.outbox = outbox
        self.configuration = configuration
        types = OfflineCommandTypes(remote.api)
    }

    /// Ends the pauses.
    func wake() {
        state.withLock { state in
            state.pause = nil
            state.pauses = [:]
            state.wakes += 1
        }
        signal.notify()
    }

    /// Ends the pause of the command `id`.
    func wake(_ id: UUID) {
        _ = state.withLock { $0.pauses.removeValue(forKey: id) }
        signal.notify()
    }

    /// Sends commands until the task is cancelled.
    func run() async throws {
        let acknowledged = try await outbox.acknowledged
        state.withLock { $0.restart(acknowledged: acknowledged) }
        try await withThrowingDiscardingTaskGroup { group in
            while true {
                let (signalled, committed) = (signal.position, outbox.store.commitFeed.position)
                for command in try await next() {
                    group.addTask { await self.send(command) }
                }
                try await wait(afterSignal: signalled, commit: committed)
            }
        }
    }

    /// Returns the commands that can be sent now, and marks them as being sent.
    private nonisolated(nonsending) func next() async throws -> [Outbox.Command] {
        let now = configuration.clock.now
        // Taken before the read: a command whose sending ends meanwhile may be read, but is there no more.
        let (others, limit) = try state.withLock { state in
            if let error = state.error { throw error }
            state.pauses = state.pauses.filter { $0.value > now }
            let isPaused = [state.pause, state.refreshEnd].contains { end in end.map { $0 > now } ?? false }
            let limit = isPaused ? 0 : max(1, configuration.width) - state.sending.count
            return (state.sending.union(state.pauses.keys), limit)
        }
        guard limit > 0 else { return [] }
        let commands = try await outbox.heads(except: others, limit: limit)
        let isRefreshed = state.withLock { state in
            state.begin(commands.map(\.id))
            if !state.needsRefresh { return false }
            state.refresh(at: now)
            return true
        }
        if isRefreshed { signal.notify() }
        return commands
    }

    /// Waits for a change of the state, a commit of commands, or the end of a pause.
    private func wait(afterSignal signalled: UInt64, commit committed: Int) async throws {
        let clock = configuration.clock
        let now = clock.now
        let end = state.withLock { state in
            ([state.pause, state.refreshEnd].compactMap(\.self) + state.pauses.values).filter { $0 > now }.min()
        }
        let feed = outbox.store.commitFeed
        try await withThrowingTaskGroup(of: Void.self) { [signal] group in
            group.addTask { try await signal.wait(after: signalled) }
            group.addTask {
                try await feed.waitForChange(of: [.entities(StoredOfflineCommand.entityName)], after: committed)
            }
            if let end { group.addTask { try await clock.sleep(until: end, tolerance: nil) } }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    // MARK: One command

    private func send(_ command: Outbox.Command) async {
        do {
            try await end(command, with: try await attempt(command))
        } catch {
            state.withLock { $0.error = error }
        }
        state.withLock { $0.end(command.id) }
        signal.notify()
    }

    private func end(_ command: Outbox.Command, with outcome: Outcome) async throws {
        // Before the commit: whoever sees the failure can end the pause.
        let isKept = state.withLock { state in
            pause(command, after: outcome, in: &state)
            guard case .carriedOut = outcome, !state.replicas.isEmpty else { return false }
            state.acknowledged.insert(command.id)
            return true
        }
        try await outbox.change(command.id) { stored, context in
            switch outcome {
            case .carriedOut: if isKept { stored.isAcknowledged = true } else { context.delete(stored) }
            case .rejected(let error): stored.fail(PendingCommand.Failure(error), isRejected: true)
            case .failed(let error, _): stored.fail(PendingCommand.Failure(error), isRejected: false)
            }
        }
    }

    private func pause(_ command: Outbox.Command, after outcome: Outcome, in state: inout OutboxState) {
        guard case .failed(let error, let pausesAll) = outcome else {
            state.unanswered = 0
            return
        }
        state.unanswered = pausesAll ? state.unanswered + 1 : 0
        let pause = pause(afterAttempt: pausesAll ? state.unanswered : command.attempts + 1)
        let end = configuration.clock.now.advanced(by: max(pause, (error as? RemoteError)?.retryAfter ?? .zero))
        if pausesAll { state.pause = end } else { state.pauses[command.id] = end }
    }

    /// Returns the pause after a number of attempts that have failed.
    func pause(afterAttempt attempt: Int) -> Duration {
        var numbers = RandomNumbers.current
        return configuration.backoff.pause(afterAttempt: attempt, using: &numbers)
    }

    func sleep(for pause: Duration) async throws {
        let clock = configuration.clock
        try await clock.sleep(until: clock.now.advanced(by: pause), tolerance: nil)
    }

    /// Sends `command` once, with its key and its cause.
    private func attempt(_ command: Outbox.Command) async throws -> Outcome {
        do {
            return try await attempt(command, as: try types.type(named: command.name))
        } catch {
            if Task.isCancelled { throw CancellationError() }
            // Another version of the program may read the command.
            return .failed(error, pausesAll: false)
        }
    }

    private func attempt<Command: OfflineCommand>(
        _ stored: Outbox.Command,
        as type: Command.Type
    ) async throws -> Outcome {
        let command = try type.decode(kept: stored.json, version: stored.version)
        do {
            try await TraceCarrier.restoring(stored.origin.trace) {
                try await RemoteDispatcher.withKey(stored.id.storageKey) {
                    let _: Command.Output = try await stored.withOrigin(of: type) { try await remote.dispatch(command) }
                }
            }
            return .carriedOut
        } catch {
            if Task.isCancelled { throw CancellationError() }
            guard let error = error as? RemoteError else {
                let isTemporary = (error as? any RetryableError)?.isRetryable ?? false
                return isTemporary ? .failed(error, pausesAll: false) : .rejected(error)
            }
            if error.isTemporary || error.status == .unauthorized { return .failed(error, pausesAll: true) }
            return error.mayHaveTakenEffect || Self.repairable.contains(error.code)
                ? .failed(error, pausesAll: false) : .rejected(error)
        }
    }

    /// The codes of errors that another version of the server or of the program repairs.
    private static let repairable: Set<String> = ["unknownRoute", "newerVersion", "olderVersion"]
}
#endif
