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

    private struct State {
        /// The commands that are being sent.
        var sending: Set<UUID> = []

        /// The ends of the pauses of single commands.
        var pauses: [UUID: ContinuousClock.Instant] = [:]

        /// The end of the pause of all commands.
        var pause: ContinuousClock.Instant?

        /// Number of attempts after the last that the server has answered.
        var unanswered = 0

        /// The error of the store that ends the run.
        var error: (any Error)?
    }

    private let remote: RemoteDispatcher

    /// The types of commands, by their names.
    private let types: [String: any OfflineCommand.Type]
    private let outbox: Outbox
    private let configuration: OfflineDispatcher.Configuration
    private let state = Mutex(State())

    /// Notifies the run of a change of the state.
    private let signal = DeliverySignal()

    init(_ remote: RemoteDispatcher, outbox: Outbox, configuration: OfflineDispatcher.Configuration) {
        self.remote = remote
        let types = remote.api.routes.compactMap { $0.message as? any OfflineCommand.Type }
        self.types = Dictionary(types.map { ($0.commandName, $0) }) { first, _ in first }
        self.outbox = outbox
        self.configuration = configuration
    }

    /// Ends the pauses.
    func wake() {
        state.withLock { state in
            state.pause = nil
            state.pauses = [:]
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
        state.withLock { state in
            state.error = nil
            state.sending = []
        }
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
            let isPaused = state.pause.map { $0 > now } ?? false
            let limit = isPaused ? 0 : max(1, configuration.width) - state.sending.count
            return (state.sending.union(state.pauses.keys), limit)
        }
        guard limit > 0 else { return [] }
        let commands = try await outbox.heads(except: others, limit: limit)
        state.withLock { $0.sending.formUnion(commands.map(\.id)) }
        return commands
    }

    /// Waits for a change of the state, a commit of commands, or the end of a pause.
    private func wait(afterSignal signalled: UInt64, commit committed: Int) async throws {
        let clock = configuration.clock
        let now = clock.now
        let end = state.withLock { state in
            ([state.pause].compactMap(\.self) + state.pauses.values).filter { $0 > now }.min()
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
            let outcome = try await attempt(command)
            // Before the commit: whoever sees the failure can end the pause.
            pause(command, after: outcome)
            try await outbox.change(command.id) { stored, context in
                switch outcome {
                case .carriedOut: context.delete(stored)
                case .rejected(let error): stored.fail(PendingCommand.Failure(error), isRejected: true)
                case .failed(let error, _): stored.fail(PendingCommand.Failure(error), isRejected: false)
                }
            }
        } catch {
            state.withLock { $0.error = error }
        }
        _ = state.withLock { $0.sending.remove(command.id) }
        signal.notify()
    }

    private func pause(_ command: Outbox.Command, after outcome: Outcome) {
        state.withLock { state in
            guard case .failed(let error, let pausesAll) = outcome else {
                state.unanswered = 0
                return
            }
            state.unanswered = pausesAll ? state.unanswered + 1 : 0
            var numbers = RandomNumbers.current
            let pause = configuration.backoff.pause(
                afterAttempt: pausesAll ? state.unanswered : command.attempts + 1, using: &numbers)
            let end = configuration.clock.now.advanced(by: max(pause, (error as? RemoteError)?.retryAfter ?? .zero))
            if pausesAll { state.pause = end } else { state.pauses[command.id] = end }
        }
    }

    /// Sends `command` once, with its key and its cause.
    private func attempt(_ command: Outbox.Command) async throws -> Outcome {
        guard let type = types[command.name] else {
            return .failed(DispatchError.unknown(command.name), pausesAll: false)
        }
        do {
            return try await attempt(command, as: type)
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
                    let _: Command.Output = try await withCause(stored.origin, of: type) {
                        try await remote.dispatch(command)
                    }
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

    /// Runs `operation` as a part of the message that has sent a command.
    private nonisolated(nonsending) func withCause<Result>(
        _ origin: MessageOrigin,
        of command: Any.Type,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        guard let cause = origin.causationID else { return try await operation() }
        let context = MessageContext(
            kind: .command, type: command, id: cause, causationID: nil, correlationID: origin.correlationID,
            principal: nil)
        return try await MessageContext.withCurrent(context, operation)
    }
}

extension PendingCommand.Failure {
    fileprivate init(_ error: any Error) {
        let coded = error as? any CodedError
        code = coded?.codeName ?? "\(type(of: error))"
        message = coded?.message ?? "\(error)"
    }
}
#endif
