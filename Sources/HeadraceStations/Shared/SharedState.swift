// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
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

    /// Serializes the accesses to the storage.
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

    /// The current value.
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

    /// Saves until no save is left.
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
            return Array(content.subscribers.values)
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
