// SPDX-License-Identifier: Apache-2.0

/// Runs commands with equal keys one at a time, in order of arrival, instead of letting them conflict in the store.
///
/// ```swift
/// builder.commandQueryDispatch().standard(
///     commandHandlers: [WithdrawHandler.self],
///     middleware: [RetryMiddleware(), SerializingMiddleware()]
/// )
/// ```
///
/// Two units of work that change the same entity at the same time conflict. The store accepts the first, and the
/// second has run in vain. Under contention, for example many transfers between few accounts, most of the work would
/// be repeated. With this middleware each ``SerializedCommand`` waits for its keys, and then reads the changes of the
/// command before it. A deadlock isn't possible: a command acquires all of its keys, in ascending order, before its
/// handler runs.
///
/// Other messages pass through. So does a command that the handler of a serialized command sends, because the outer
/// command holds the keys of both. Its own keys aren't acquired, so name them in ``SerializedCommand/lockKeys`` of
/// the outer command.
///
/// On a ``HeadraceStorage/ReadAheadStore``, a command doesn't wait until the changes of the command before it are on the disk.
///
/// The lock is in memory: it doesn't include other processes. Use a ``RetryMiddleware`` before it for conflicts with
/// them.
public struct SerializingMiddleware: Middleware {
    private let lock = KeyedLock<String>()

    @TaskLocal private static var current: HeldLocks?

    /// What the serialized command of this task holds; `nil` if the task handles none.
    package static var heldLocks: HeldLocks? { current }

    /// Creates a middleware with a lock that only its copies share.
    public init() {}

    /// Handles `message` when it holds all of its keys.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while it waits; the errors of `next`; a retryable error if the
    ///   command has read changes ahead that were not stored.
    public nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        guard let keys = (message as? any SerializedCommand)?.lockKeys, !keys.isEmpty,
            Self.current?.keys.isReleased != false
        else { return try await next(message) }
        let held = try await lock.acquire(keys)
        defer { held.release() }
        let locks = HeldLocks(holding: held)
        return try await Self.$current.binding(locks) {
            let output: Output
            do {
                output = try await next(message)
            } catch {
                // A refusal is void if it depends on changes that don't exist.
                try await locks.requireCertainty()
                throw error
            }
            // A commit has met its dependencies. A command without a commit may depend on changes that don't exist, too.
            try await locks.requireCertainty()
            return output
        }
    }
}
