// SPDX-License-Identifier: Apache-2.0

#if Client
public import HeadraceCommands
public import HeadraceCore
public import HeadraceDomain
public import HeadraceStorage

/// Sends commands to a server that a device can't always reach.
///
/// ```swift
/// let offline = OfflineDispatcher(remote, on: store)
/// let sending = Task { try await offline.run() }
///
/// try await offline.send(RenameNote(note: note, title: "Trips"))
/// ```
///
/// - ``send(_:)`` stores the command. ``run()`` sends stored commands, also if an earlier run of the program has stored them. Commands
///   with one ``OfflineCommand/orderKey`` are sent one after the other.
/// - A command keeps its key in all attempts, so it takes effect once, also if an answer is lost.
/// - If there is no answer, if the server has failed, or if it demands a new sign-in, the command is sent again after a pause. If the
///   server refuses the command, it is rejected, and later commands with its order key wait until you call ``retry(_:)`` or
///   ``discard(_:)``.
///
/// The commands belong to the user who has sent them: keep a store for each user, and delete its file when the user signs out.
public final class OfflineDispatcher: Sendable {
    /// The settings of a dispatcher.
    public struct Configuration: Sendable {
        /// The pauses after attempts that have failed; from one second to five minutes by default.
        public var backoff = Backoff(base: .seconds(1), longest: .seconds(300))

        /// Maximum number of commands that are sent at the same time; 4 by default.
        public var width = 4

        /// The clock for the pauses.
        public var clock: any TimeSource = CurrentClock()

        /// Creates the default settings.
        public init() {}
    }

    let relay: OutboxRelay
    private let outbox: Outbox
    private let prediction: Prediction?

    /// Creates a dispatcher that keeps commands in `store`, which must have been opened with ``StoredOfflineCommand``.
    ///
    /// - Parameters:
    ///   - remote: The dispatcher for the server. Its API must have a route for each command.
    ///   - store: The store of the device.
    ///   - configuration: The settings.
    public init(
        _ remote: RemoteDispatcher,
        on store: any ObservableStore,
        configuration: Configuration = Configuration()
    ) {
        outbox = Outbox(store: store)
        relay = OutboxRelay(remote, outbox: outbox, configuration: configuration)
        prediction = nil
    }

    /// Creates a dispatcher that also predicts the effect of its commands.
    ///
    /// `send(_:)` returns when `predicted` has the effect of the command, unless it joins a unit of work.
    ///
    /// - Parameters:
    ///   - remote: The dispatcher for the server. Its API must have a route for each command.
    ///   - predicted: The predictions. They are made by the time that the initializer returns.
    ///   - dispatcher: The dispatcher of the handlers that work on `predicted`.
    ///   - configuration: The settings.
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public init(
        _ remote: RemoteDispatcher,
        predictingIn predicted: PredictedStore,
        by dispatcher: any CommandQueryDispatcher,
        configuration: Configuration = Configuration()
    ) async throws {
        outbox = Outbox(store: predicted.origin)
        relay = OutboxRelay(remote, outbox: outbox, configuration: configuration)
        let prediction = Prediction(in: predicted, by: dispatcher, outbox: outbox, types: relay.types)
        self.prediction = prediction
        try await prediction.refresh()
    }

    // MARK: Sending

    /// Stores `command`, and returns its key.
    ///
    /// Within a unit of work on the store, the command is stored with the changes of that unit of work.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; `EncodingError`; `CancellationError`.
    @discardableResult
    public nonisolated(nonsending) func send(_ command: some OfflineCommand) async throws -> PendingCommand.ID {
        let id = try await outbox.append(command)
        // A unit of work that the command has joined will commit it later.
        if let prediction, !outbox.isInUnitOfWork {
            do {
                try await prediction.refresh()
            } catch {
                // The command is stored, and the run makes the prediction again.
            }
        }
        return id
    }

    /// The commands that the server hasn't carried out, in the order in which they were sent.
    public var pending: [PendingCommand] {
        get async throws { try await Outbox.commands(in: EntityContext(reading: outbox.store)) }
    }

    /// Observes ``pending``: returns the current value, and a new value after each change.
    public func observePending() -> LiveQuery<[PendingCommand]> {
        outbox.store.observe { try await Outbox.commands(in: $0) }
    }

    /// Sends a command again, also if it was rejected.
    ///
    /// If the command isn't pending any more, nothing happens.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public nonisolated(nonsending) func retry(_ id: PendingCommand.ID) async throws {
        try await outbox.change(id) { command, _ in command.forgetFailure() }
        relay.wake(id)
    }

    /// Removes a command that the server hasn't carried out.
    ///
    /// If the command is just being sent, or if the answer to it was lost, it may take effect nevertheless.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public nonisolated(nonsending) func discard(_ id: PendingCommand.ID) async throws {
        try await outbox.change(id) { command, context in context.delete(command) }
    }

    // MARK: Delivering

    /// Sends the stored commands, until the task is cancelled.
    ///
    /// Call it once for each store, in one process.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`. Nothing is lost: call it again.
    public func run() async throws {
        guard let prediction else { return try await relay.run() }
        try await withThrowingTaskGroup(of: Void.self) { [relay] group in
            group.addTask { try await relay.run() }
            group.addTask { try await prediction.run() }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Looks for commands, and ends the pauses.
    ///
    /// Call it for example when the device has a network again, when the user has signed in, or when another process has sent a command.
    public func wake() {
        relay.wake()
    }
}
#endif
