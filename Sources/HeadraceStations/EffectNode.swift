// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A node in the tree of running effects.
///
/// The root is the station. Below it is a node for each action that has started effects, then a node for each
/// effect with an id or from a child, and at the leaves the effects that run code. Cancelling a node cancels all
/// nodes below it, and a node that is created below a cancelled node is cancelled too. A parent keeps its children
/// until they end, so each node except the root must call ``end()``.
///
/// All methods can be called on any thread.
final class EffectNode: Sendable {
    private static let cancelled: UInt8 = 1
    private static let ended: UInt8 = 2

    private static let lastNumber = Atomic<UInt64>(0)

    /// Number of the node, which ascends in the order of creation.
    let number = lastNumber.add(1, ordering: .relaxed).newValue

    private struct Content {
        var task: Task<Void, Never>?
        var children = EffectNodeSet()

        /// Deliveries of coalescing remote pours that are due before the effect ends.
        var finalDeliveries: [@Sendable () -> Void] = []
    }

    private let status = Atomic<UInt8>(0)
    private let content = Mutex(Content())
    private let parent: EffectNode?

    /// Creates a node below `parent`; `nil` for the root of a tree.
    init(within parent: EffectNode?) {
        self.parent = parent
        parent?.add(self)
    }

    var isCancelled: Bool { status.load(ordering: .acquiring) & Self.cancelled != 0 }

    /// Whether the node was neither cancelled nor ended.
    ///
    /// Only an active effect can pour.
    var isActive: Bool { status.load(ordering: .acquiring) == 0 }

    /// Number of tasks that run in the node and in the nodes below it.
    var taskCount: Int {
        let (task, children) = content.withLock { ($0.task, $0.children) }
        return (task == nil ? 0 : 1) + children.taskCount
    }

    /// Adds a child.
    ///
    /// If thread A cancels the node while thread B adds a child, either A finds the child under the lock, or B finds
    /// the mark, because A sets the mark before it takes the lock. The same holds for ``attach(_:)``.
    private func add(_ child: EffectNode) {
        content.withLock { $0.children.insert(child) }
        if isCancelled { child.cancel() }
    }

    /// Sets the task that runs the effect of this node.
    func attach(_ task: Task<Void, Never>) {
        content.withLock { $0.task = task }
        if isCancelled { task.cancel() }
    }

    /// Cancels the node and all nodes below it.
    func cancel() {
        _ = status.bitwiseOr(Self.cancelled, ordering: .acquiringAndReleasing)
        let (task, children) = content.withLock { ($0.task, $0.children) }
        task?.cancel()
        children.cancel()
    }

    /// Ends the node and removes it from its parent.
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

/// A set of nodes.
///
/// Most sets contain at most one node; only more nodes need a table.
struct EffectNodeSet {
    private var first: EffectNode?
    private var others: [ObjectIdentifier: EffectNode] = [:]

    var taskCount: Int { others.values.reduce(first?.taskCount ?? 0) { $0 + $1.taskCount } }

    mutating func insert(_ node: EffectNode) {
        if first == nil {
            first = node
        } else {
            others[ObjectIdentifier(node)] = node
        }
    }

    mutating func remove(_ node: EffectNode) {
        if first === node {
            first = nil
        } else {
            others[ObjectIdentifier(node)] = nil
        }
    }

    /// Cancels all nodes, in the order of their creation.
    func cancel() {
        if others.isEmpty {
            first?.cancel()
            return
        }
        let nodes = others.values + (first.map { [$0] } ?? [])
        for node in nodes.sorted(by: { $0.number < $1.number }) { node.cancel() }
    }
}

/// All running effects of a station, and the actor on which they run.
package final class RunningEffects: Sendable {
    private struct Owner {
        weak var actor: (any Actor)?
    }

    /// The root of the tree of running effects.
    let root = EffectNode(within: nil)

    private let owner = Mutex(Owner())

    /// Creates an empty tree; ``attach(_:)`` sets its actor.
    package init() {}

    /// Number of tasks of effects that run, in the whole station.
    package var count: Int { root.taskCount }

    /// The actor of the station; `nil` before ``attach(_:)``, and after the actor was released.
    var actor: (any Actor)? { owner.withLock(\.actor) }

    /// Sets the actor of the station.
    ///
    /// Must be called before the first action.
    package func attach(_ actor: any Actor) {
        owner.withLock { $0.actor = actor }
    }

    /// Cancels all effects that run now, and all effects that are started later.
    package func cancel() {
        root.cancel()
    }
}
