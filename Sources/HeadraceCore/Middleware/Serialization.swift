// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A command that names the things it changes, so that commands which change the same things run one at a time.
///
/// ```swift
/// struct Withdraw: CQDCommand, SerializedCommand {
///     let account: String
///     let amount: Int
///
///     var lockKeys: Set<String> { [account] }
/// }
/// ```
///
/// ``SerializingMiddleware`` keeps the order.
public protocol SerializedCommand: Sendable {
    /// Names of all things that the command and its nested commands change; empty if it can run at any time.
    var lockKeys: Set<String> { get }
}

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

/// The keys that a serialized command holds, and the results of other commands that it has used before they are certain.
package final class HeldLocks: Sendable {
    /// A result of another command.
    package struct Dependency: Sendable {
        /// The result.
        package let value: any Sendable

        /// Whether the other command has succeeded, once that is certain.
        package let isCertain: OneShot<Bool>

        /// The error of the command that has used the result if the other command fails.
        package let failure: any Error

        /// The store that has the result.
        fileprivate let owner: ObjectIdentifier

        /// Creates a dependency on a result in the store `owner`.
        package init(on value: any Sendable, in owner: AnyObject, isCertain: OneShot<Bool>, failure: any Error) {
            self.value = value
            self.isCertain = isCertain
            self.failure = failure
            self.owner = ObjectIdentifier(owner)
        }
    }

    /// The keys of the command.
    ///
    /// A store releases them as soon as the order of commits is certain, before the commit is on the disk. Commands that the
    /// handler sends later acquire their own keys.
    package let keys: HeldKeys<String>

    private let dependencies = Mutex<[Dependency]>([])

    init(holding keys: HeldKeys<String>) {
        self.keys = keys
    }

    /// Records that the command has used a result before it is certain.
    package func add(_ dependency: Dependency) {
        dependencies.withLock { $0.append(dependency) }
    }

    /// Returns the results in the store `owner` that the command has used since its last commit there.
    package func values(in owner: AnyObject) -> [any Sendable] {
        let owner = ObjectIdentifier(owner)
        return dependencies.withLock { $0.filter { $0.owner == owner }.map(\.value) }
    }

    /// Removes the first `count` results in the store `owner`, after a commit has met them.
    package func removeFirst(_ count: Int, in owner: AnyObject) {
        let owner = ObjectIdentifier(owner)
        var rest = count
        dependencies.withLock { dependencies in
            dependencies.removeAll { dependency in
                guard rest > 0, dependency.owner == owner else { return false }
                rest -= 1
                return true
            }
        }
    }

    /// Returns when all results that the command has used are certain.
    ///
    /// - Throws: The failure of the first result that another command doesn't store; `CancellationError`.
    nonisolated(nonsending) func requireCertainty() async throws {
        for dependency in dependencies.withLock(\.self) where try await !dependency.isCertain.wait() {
            throw dependency.failure
        }
    }
}
