// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A node in the tree of running effects.
///
/// The root is the station. Below it is a scope for each action that has started effects, then a scope for each
/// effect with an id or from a child, and at the leaves the effects that run code. Cancelling a scope cancels all
/// scopes below it, and a scope that is created below a cancelled scope is cancelled too. A parent keeps its children
/// until they end, so each scope except the root must call ``end()``.
///
/// All methods can be called on any thread.
final class EffectScope: Sendable {
    private static let cancelled: UInt8 = 1
    private static let ended: UInt8 = 2

    private struct Content {
        var task: Task<Void, Never>?
        var children = EffectScopeSet()

        /// Deliveries of coalescing remote pours that are due before the effect ends.
        var finalDeliveries: [@Sendable () -> Void] = []
    }

    private let status = Atomic<UInt8>(0)
    private let content = Mutex(Content())
    private let parent: EffectScope?

    /// Creates a scope below `parent`; `nil` for the root of a tree.
    init(within parent: EffectScope?) {
        self.parent = parent
        parent?.add(self)
    }

    var isCancelled: Bool { status.load(ordering: .acquiring) & Self.cancelled != 0 }

    /// Whether the scope was neither cancelled nor ended.
    ///
    /// Only an active effect can pour.
    var isActive: Bool { status.load(ordering: .acquiring) == 0 }

    /// Number of tasks that run in the scope and in the scopes below it.
    var taskCount: Int {
        let (task, children) = content.withLock { ($0.task, $0.children) }
        return (task == nil ? 0 : 1) + children.taskCount
    }

    /// Adds a child.
    ///
    /// If thread A cancels the scope while thread B adds a child, either A finds the child under the lock, or B finds
    /// the mark, because A sets the mark before it takes the lock. The same holds for ``attach(_:)``.
    private func add(_ child: EffectScope) {
        content.withLock { $0.children.insert(child) }
        if isCancelled { child.cancel() }
    }

    /// Sets the task that runs the effect of this scope.
    func attach(_ task: Task<Void, Never>) {
        content.withLock { $0.task = task }
        if isCancelled { task.cancel() }
    }

    /// Cancels the scope and all scopes below it.
    func cancel() {
        _ = status.bitwiseOr(Self.cancelled, ordering: .acquiringAndReleasing)
        let (task, children) = content.withLock { ($0.task, $0.children) }
        task?.cancel()
        children.cancel()
    }

    /// Ends the scope and removes it from its parent.
    func end() {
        _ = status.bitwiseOr(Self.ended, ordering: .acquiringAndReleasing)
        // The old content is released outside of the lock, because that may run code of the program.
        _ = content.withLock { content in
            defer { content = Content() }
            return content
        }
        parent?.content.withLock { $0.children.remove(self) }
    }

    /// Adds a delivery that the effect makes on the actor of the station before it ends.
    func addFinalDelivery(_ delivery: @escaping @Sendable () -> Void) {
        content.withLock { $0.finalDeliveries.append(delivery) }
    }

    /// Makes the final deliveries, on the actor of the station.
    func makeFinalDeliveries() {
        for delivery in content.withLock(\.finalDeliveries) { delivery() }
    }
}

/// A set of scopes without an order.
///
/// Most sets contain at most one scope; only more scopes need a table.
struct EffectScopeSet {
    private var first: EffectScope?
    private var others: [ObjectIdentifier: EffectScope] = [:]

    var isEmpty: Bool { first == nil && others.isEmpty }

    var count: Int { others.count + (first == nil ? 0 : 1) }

    var elements: [EffectScope] { (first.map { [$0] } ?? []) + others.values }

    var taskCount: Int { others.values.reduce(first?.taskCount ?? 0) { $0 + $1.taskCount } }

    mutating func insert(_ scope: EffectScope) {
        if first == nil {
            first = scope
        } else {
            others[ObjectIdentifier(scope)] = scope
        }
    }

    mutating func remove(_ scope: EffectScope) {
        if first === scope {
            first = nil
        } else {
            others[ObjectIdentifier(scope)] = nil
        }
    }

    func cancel() {
        first?.cancel()
        for scope in others.values { scope.cancel() }
    }
}
