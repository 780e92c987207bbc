//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore
import Synchronization

/// A value that several stations have in their states, and that can be stored.
///
/// ```swift
/// let settings = try await SharedState(in: SharedFile(file), default: Settings())
/// let station = Station(initialState: Editor.State(settings: settings.value)) { Editor(settings: settings) }
/// ```
///
/// Each station has its own copy in a property, which ``Dripper/sharing(_:with:action:)`` keeps equal to this value. The
/// stations can be on different actors. An action that changes the copy of one station changes this value, stores it,
/// and leads to an action of each other station. So only actions change the state of a station, and journals and tests
/// contain them.
///
/// If two writers change the value at the same time, the last writer wins, unless a rule merges the values. Two shared states
/// over the same storage behave like two processes: each sees the changes of the other when it saves or reloads.
public final class SharedState<Value: Equatable & Sendable>: Sendable {
    /// Merges two values that were made from the same value.
    ///
    /// It must depend only on the values, and must not use the shared state.
    public typealias Merge = @Sendable (_ base: Value, _ mine: Value, _ theirs: Value) -> Value

    private struct Content {
        var value: Value

        /// The value that the storage had last.
        var stored: Value

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
    /// - Throws: The errors of the storage, such as ``SharedStateError`` with the code ``SharedStateError/Code/damaged``.
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

    /// Whether the value must be saved: it has a storage, and differs from the stored value.
    var needsSave: Bool { storage != nil && content.withLock { $0.value != $0.stored } }

    /// Changes the value, and notifies the stations.
    ///
    /// It isn't saved; see ``save()``. Stations don't need this method.
    ///
    /// - Parameter change: Changes the value. It must not use this shared state.
    public func update(_ change: (inout Value) -> Void) {
        set { old in
            var new = old
            change(&new)
            return new
        }
    }

    /// Stores the value, unless it is stored.
    ///
    /// If the stored value was changed by another process, the values are merged. The stations save for themselves.
    ///
    /// - Throws: The errors of the storage; `CancellationError` if the task was cancelled while it waited. The value was kept,
    ///   and the next call stores it.
    public nonisolated(nonsending) func save() async throws {
        guard let storage else { return }
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

    /// Replaces `base`, which the storage no longer has, by `stored`.
    private func adopt(_ stored: Value, insteadOf base: Value) {
        content.withLock { $0.stored = stored }
        set { current in
            if current == base { return stored }
            return current == stored ? current : merge(base, current, stored)
        }
    }

    /// Sets the value to `new`, which was made from `base`.
    func write(_ new: Value, insteadOf base: Value) {
        set { current in
            if current == base { return new }
            if new == base || new == current { return current }
            return merge(base, new, current)
        }
    }

    private func set(_ change: (Value) -> Value) {
        let subscribers = content.withLock { content in
            let new = change(content.value)
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
