// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
import Synchronization

/// A value that several stations have in their states, and that can be stored.
///
/// ```swift
/// let settings = try await SharedState(in: SharedDocument("settings", of: store), default: Settings())
/// let station = Station(initialState: Editor.State(settings: settings.value)) { Editor(settings: settings) }
/// ```
///
/// Each station has its own copy in a property, which ``Dripper/sharing(_:with:action:)`` keeps equal to this value. The
/// stations can be on different actors. An action that changes the copy of one station changes this value, stores it,
/// and leads to an action of each other station. So only actions change the state of a station, and journals and tests
/// contain them.
///
/// The stations save for themselves. A save belongs to the shared state: it goes on when the action, the station, or the
/// task that waits for it ends. Changes during a save are stored together by the next save.
///
/// If two writers change the value at the same time, the last writer wins, unless a rule merges the values. Two shared states
/// over the same storage behave like two processes: each sees the changes of the other when it saves or reloads.
public final class SharedState<Value: Equatable & Sendable>: Sendable {
    /// Merges two values that were made from the same value.
    ///
    /// It must depend only on the values, and must not use the shared state.
    public typealias Merge = @Sendable (_ base: Value, _ mine: Value, _ theirs: Value) -> Value

    /// The outcome of one save, for which any number of tasks can wait.
    typealias Save = OneShot<Result<Void, any Error>>

    private struct Content {
        var value: Value

        /// The value that the storage had last.
        var stored: Value

        /// The save that hasn't begun; `nil` if there is none.
        var nextSave: Save?

        /// Whether a task is saving.
        var isSaving = false

        var subscribers: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastSubscriber = 0
    }

    private let content: Mutex<Content>
    private let storage: (any SharedStorage<Value>)?
    private let merge: Merge

    /// Serializes saves and reloads, which suspend between the storage and the value.
    private let lock = Permits(1)

    /// Creates a value in memory.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - merge: The rule for two writers. The default returns `mine`, so the last writer wins.
    public init(_ value: Value, merge: @escaping Merge = { _, mine, _ in mine }) {
        content = Mutex(Content(value: value, stored: value))
        storage = nil
        self.merge = merge
    }

    /// Loads a stored value.
    ///
    /// - Parameters:
    ///   - storage: The storage.
    ///   - value: The value if nothing is stored. It isn't stored before it changes.
    ///   - merge: The rule for two writers. The default returns `mine`, so the last writer wins.
    /// - Throws: The errors of the storage, such as ``SharedStateError`` with the code `SharedStateError.Code.damaged`.
    ///   The stored content was kept.
    public init(
        in storage: some SharedStorage<Value>,
        default value: Value,
        merge: @escaping Merge = { _, mine, _ in mine }
    ) async throws {
        let stored = try await storage.load() ?? value
        content = Mutex(Content(value: stored, stored: stored))
        self.storage = storage
        self.merge = merge
    }

    /// The current value, which may not be stored yet.
    public var value: Value { content.withLock(\.value) }

    /// Number of sequences of changes that are in use.
    var subscriberCount: Int { content.withLock(\.subscribers.count) }

    /// Changes the value, and notifies the stations.
    ///
    /// It isn't saved; see ``save()``. Stations don't need this method.
    ///
    /// - Parameter change: Changes the value. It must not use this shared state.
    public func update(_ change: (inout Value) -> Void) {
        self.change { content in
            var new = content.value
            change(&new)
            return new
        }
    }

    /// Stores the value, unless it is stored, and returns when it was stored.
    ///
    /// If the stored value was changed by another process, the values are merged. The stations save for themselves. Call it
    /// before the program ends, so that the saves of the stations don't end with the process.
    ///
    /// - Throws: The errors of the storage; the value is kept, and the next save stores it. `CancellationError` if the task
    ///   is cancelled while it waits; the save goes on.
    public nonisolated(nonsending) func save() async throws {
        try await beginSave(on: nil)?.wait().get()
    }

    /// Begins to store the value, now or after the save that is in progress.
    ///
    /// - Parameter executor: The executor for the save; `nil` for the default executor.
    /// - Returns: The save; `nil` if the value needn't be stored.
    func beginSave(on executor: (any TaskExecutor)?) -> Save? {
        guard let storage else { return nil }
        let (save, mustStart): (Save?, Bool) = content.withLock { content in
            // While a save is in progress, the storage may have another value than `stored`.
            if !content.isSaving, content.value == content.stored { return (nil, false) }
            let save = content.nextSave ?? Save()
            content.nextSave = save
            defer { content.isSaving = true }
            return (save, !content.isSaving)
        }
        if mustStart { Task(executorPreference: executor) { await self.performSaves(in: storage) } }
        return save
    }

    /// Makes one save after the other, until no save was requested during the last one.
    private func performSaves(in storage: some SharedStorage<Value>) async {
        while let save = takeNextSave() {
            do {
                try await store(in: storage)
                save.set(.success(()))
            } catch {
                save.set(.failure(error))
            }
        }
    }

    private func takeNextSave() -> Save? {
        content.withLock { content in
            defer { content.nextSave = nil }
            content.isSaving = content.nextSave != nil
            return content.nextSave
        }
    }

    private nonisolated(nonsending) func store(in storage: some SharedStorage<Value>) async throws {
        try await lock.withPermit {
            let (mine, base) = content.withLock { ($0.value, $0.stored) }
            if mine == base { return }
            let merge = merge
            let stored = try await storage.replace { theirs in
                guard let theirs, theirs != base else { return mine }
                return merge(base, mine, theirs)
            }
            adopt(stored, insteadOf: mine)
        }
    }

    /// Loads the stored value, for changes by other processes, and notifies the stations.
    ///
    /// A value that wasn't saved is merged with the stored value.
    ///
    /// - Throws: The errors of the storage; `CancellationError` if the task was cancelled while it waited.
    public nonisolated(nonsending) func reload() async throws {
        guard let storage else { return }
        try await lock.withPermit {
            let base = content.withLock(\.stored)
            guard let stored = try await storage.load(), stored != base else { return }
            adopt(stored, insteadOf: base)
        }
    }

    /// Takes over `stored`, which is now in the storage and was made from `base`.
    private func adopt(_ stored: Value, insteadOf base: Value) {
        change { content in
            content.stored = stored
            let current = content.value
            if current == base { return stored }
            // This writer alone has changed the value.
            if stored == base || stored == current { return current }
            return merge(base, current, stored)
        }
    }

    /// Sets the value to `new`, which was made from `base`.
    func write(_ new: Value, insteadOf base: Value) {
        change { content in
            let current = content.value
            if current == base { return new }
            if new == base || new == current { return current }
            return merge(base, new, current)
        }
    }

    /// Sets the value to the result of `makeValue`, and notifies the subscribers if it is another value.
    private func change(_ makeValue: (inout Content) -> Value) {
        let subscribers = content.withLock { content in
            let new = makeValue(&content)
            if new == content.value { return [AsyncStream<Void>.Continuation]() }
            content.value = new
            return content.subscribers.sorted { $0.key < $1.key }.map(\.value)
        }
        for subscriber in subscribers { subscriber.yield() }
    }

    /// Returns a sequence with an element after each change; changes before the next iteration count as one.
    func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number = content.withLock { content in
            content.lastSubscriber += 1
            content.subscribers[content.lastSubscriber] = continuation
            return content.lastSubscriber
        }
        continuation.onTermination = { [weak self] _ in
            self?.content.withLock { _ = $0.subscribers.removeValue(forKey: number) }
        }
        return stream
    }
}

/// The place where a ``SharedState`` is stored, such as a document of a store.
public protocol SharedStorage<Value>: Sendable {
    /// The type of the stored value.
    associatedtype Value: Sendable

    /// Returns the stored value; `nil` if nothing is stored.
    ///
    /// - Throws: An error if the storage can't be read, or if its content isn't a value.
    func load() async throws -> Value?

    /// Replaces the stored value by the result of `change`, and returns that result.
    ///
    /// The storage must not change between the call of `change` and the replacement. If it can't guarantee this, the last
    /// of two concurrent writers wins.
    ///
    /// - Parameter change: Returns the new value for the stored value, which is `nil` if nothing is stored. It may be called
    ///   several times.
    /// - Returns: The new value.
    /// - Throws: An error if the value wasn't replaced. Content that can't be read must be kept.
    func replace(by change: @Sendable (_ stored: Value?) -> Value) async throws -> Value
}

/// An error of the storage of a ``SharedState``.
public struct SharedStateError: CodedError {
    /// The kind of the error, stable enough to branch on.
    public typealias Code = ErrorCode<SharedStateError>

    /// The kind of the error.
    public let code: Code

    /// The error and its fix, in one sentence each.
    public let message: String

    /// The error that has caused this error.
    public let cause: any Error

    package static func damaged(_ place: String, _ value: Any.Type, _ cause: any Error) -> SharedStateError {
        SharedStateError(
            code: .damaged,
            message: """
                The shared state in '\(place)' isn't a '\(String(naming: value))', and was kept. To fix, repair or move the \
                content, or read it with the type that has written it.
                """,
            cause: cause
        )
    }

    package static func unencodable(_ place: String, _ value: Any.Type, _ cause: any Error) -> SharedStateError {
        SharedStateError(
            code: .unencodable,
            message: """
                The new '\(String(naming: value))' can't be encoded, so the shared state in '\(place)' was kept. To fix, store only \
                values that JSON can have; it has no infinite numbers, for example.
                """,
            cause: cause
        )
    }

    package static func undeclared(_ place: String, _ entity: Any.Type, _ cause: any Error) -> SharedStateError {
        SharedStateError(
            code: .unavailable,
            message: """
                The store was not opened with '\(String(naming: entity))', so it can't keep the shared state '\(place)'. To fix, \
                add '\(String(naming: entity)).self' to the 'entities' of the store.
                """,
            cause: cause
        )
    }

    package static func unavailable(_ place: String, _ cause: any Error) -> SharedStateError {
        SharedStateError(
            code: .unavailable,
            message: """
                The shared state in '\(place)' can't be read or written. To fix, check that the place exists and that the \
                program may write there; the value in memory is kept, and the next save stores it.
                """,
            cause: cause
        )
    }
}

extension ErrorCode<SharedStateError> {
    /// The stored content isn't a value of the expected type.
    ///
    /// It was kept as it is.
    public static var damaged: Self { Self() }

    /// The new value can't be encoded.
    ///
    /// The stored content was kept as it is.
    public static var unencodable: Self { Self() }

    /// The storage can't be read or written.
    public static var unavailable: Self { Self() }
}
