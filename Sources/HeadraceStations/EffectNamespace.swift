// SPDX-License-Identifier: Apache-2.0

import DequeModule
import HeadraceCore

/// The ids of the effects of a station, or of one of its children.
///
/// It finds effects by their ids and queues them. The effects themselves are owned by the tree of ``EffectNode``s.
@usableFromInline
final class EffectNamespace {
    private weak let parent: EffectNamespace?
    private let key: ChildKey?
    private(set) var children: [ChildKey: EffectNamespace] = [:]

    /// Number of the namespace among the children of its parent, in the order of creation.
    private let number: Int

    private var lastChild = 0

    /// Nodes that are running, by id, in the order of their beginnings; `nil` is the key of all effects of a child.
    private var nodes: [EffectID?: [EffectNode]] = [:]

    private var queues: [EffectID: Deque<QueuedEffect>] = [:]

    /// The current interval of each throttle; it stays until the child is removed.
    var throttles: [EffectID: Throttle] = [:]

    /// The `removalCount` of each collection of children at the last check, by the number of its `Scope`.
    var removalCounts: [Int: Int] = [:]

    init(parent: EffectNamespace? = nil, key: ChildKey? = nil, number: Int = 0) {
        self.parent = parent
        self.key = key
        self.number = number
    }

    private var isEmpty: Bool {
        children.isEmpty && nodes.isEmpty && queues.isEmpty && throttles.isEmpty
    }

    /// The children around the effects, the outermost first; empty for the station itself.
    var path: [ChildKey] { key.map { (parent?.path ?? []) + [$0] } ?? [] }

    func child(_ key: ChildKey) -> EffectNamespace {
        if let child = children[key] { return child }
        lastChild += 1
        let child = EffectNamespace(parent: self, key: key, number: lastChild)
        children[key] = child
        return child
    }

    /// Whether an effect with `id` is running.
    func isRunning(_ id: EffectID) -> Bool { nodes[id] != nil }

    /// Number of running effects with `id`, without those that are queued.
    func runningCount(_ id: EffectID) -> Int { nodes[id]?.count ?? 0 }

    /// Cancels the oldest effects with `id` until at most `count` are running.
    func cancelOldest(_ id: EffectID, leaving count: Int) {
        while let running = nodes[id], running.count > count { nodes[id]?.removeFirst().cancel() }
        if nodes[id]?.isEmpty ?? false { nodes[id] = nil }
    }

    /// Creates a node below `outer` for an effect with `id`; `nil` for an effect of this child as a whole.
    func makeNode(_ id: EffectID?, within outer: EffectNode) -> EffectNode {
        let node = EffectNode(within: outer)
        nodes[id, default: []].append(node)
        return node
    }

    /// Ends `node`, and begins the next effect that is queued under `id` if no other effect with `id` runs.
    func end(_ node: EffectNode, _ id: EffectID?) {
        node.end()
        if let index = nodes[id]?.firstIndex(where: { $0 === node }) { nodes[id]?.remove(at: index) }
        if nodes[id]?.isEmpty ?? false {
            nodes[id] = nil
            if let id { beginNext(id) }
        }
        removeIfEmpty()
    }

    /// Begins the next queued effect.
    ///
    /// Skips effects that were cancelled in the queue.
    private func beginNext(_ id: EffectID) {
        while nodes[id] == nil, let next = queues[id]?.popFirst() {
            if queues[id]?.isEmpty ?? false { queues[id] = nil }
            next.begin()
        }
    }

    /// Queues `effect` under `id`.
    ///
    /// - Returns: Whether the queue had room: it holds at most `limit` effects.
    func enqueue(_ effect: QueuedEffect, under id: EffectID, limit: Int) -> Bool {
        if queues[id]?.count ?? 0 >= limit { return false }
        queues[id, default: []].append(effect)
        return true
    }

    /// Cancels the running effects with `id`, and drops the queued ones; `nil` for the effects of this child.
    func cancel(_ id: EffectID?) {
        let queue = id.flatMap { queues.removeValue(forKey: $0) } ?? []
        nodes.removeValue(forKey: id)?.forEach { $0.cancel() }
        if !throttles.isEmpty, let id { throttles[id]?.waiting = nil }
        for effect in queue { effect.drop() }
        removeIfEmpty()
    }

    /// The throttled effect with `id` that waits for the end of its interval.
    func waitingEffect(_ id: EffectID) -> WaitingEffect? {
        guard let waiting = throttles[id]?.waiting, !waiting.isCancelled else { return nil }
        return waiting
    }

    /// Forgets a throttled effect that was dropped.
    func remove(_ waiting: WaitingEffect, _ id: EffectID) {
        if throttles[id]?.waiting === waiting { throttles[id]?.waiting = nil }
    }

    /// The children with their keys, in the order of creation.
    var orderedChildren: [(key: ChildKey, value: EffectNamespace)] {
        children.sorted { $0.value.number < $1.value.number }
    }

    /// Cancels all effects of this namespace and of its children, in the order of their beginnings.
    func cancelAll() {
        for (_, child) in orderedChildren { child.cancelAll() }
        let begun = nodes.map { (id: $0.key, number: $0.value.first?.number ?? 0) }
        for each in begun.sorted(by: { $0.number < $1.number }) { cancel(each.id) }
        throttles = [:]
        removeIfEmpty()
    }

    private func removeIfEmpty() {
        guard let key, let parent, isEmpty, parent.children[key] === self else { return }
        parent.children[key] = nil
        parent.removeIfEmpty()
    }
}

/// An effect that waits until the effects before it, with the same id, have ended.
struct QueuedEffect {
    let begin: () -> Void
    let drop: () -> Void
}

/// The current interval of the throttled effects with one id.
struct Throttle {
    /// Time at which an effect has last begun, or at which an effect that waits has opened the interval.
    var lastBeginning: ContinuousClock.Instant

    /// The effect that begins at the end of the interval.
    var waiting: WaitingEffect?
}

/// A throttled effect that begins when it is due.
///
/// The task that waits may wake late. So the next throttled effect begins it if it arrives first.
final class WaitingEffect {
    /// Time at which the effect begins, by the clock of the station.
    let due: ContinuousClock.Instant

    /// The node of the delay and of the effect.
    private let node: EffectNode

    /// The node of the delay alone, which ends before the effect begins.
    private let delay: EffectNode

    /// Starts the effect; `nil` if it was started or dropped.
    private var start: (() -> Void)?

    init(due: ContinuousClock.Instant, node: EffectNode, delay: EffectNode, start: @escaping () -> Void) {
        self.due = due
        self.node = node
        self.delay = delay
        self.start = start
    }

    var isCancelled: Bool { node.isCancelled }

    /// Ends the delay, and starts the effect unless it was started or dropped.
    func begin() {
        guard let start else { return }
        self.start = nil
        delay.cancel()
        start()
    }

    /// Cancels the delay, and so drops the effect.
    func cancel() {
        node.cancel()
    }

    /// Drops the effect.
    ///
    /// - Returns: Whether it was neither started nor dropped before.
    func drop() -> Bool {
        defer { start = nil }
        return start != nil
    }
}

/// The id of an effect: a value of any hashable type.
@usableFromInline
struct EffectID: Hashable, Sendable {
    let base: any Hashable & Sendable

    init(_ base: any Hashable & Sendable) {
        self.base = base
    }

    @usableFromInline
    static func == (left: EffectID, right: EffectID) -> Bool {
        AnyHashable(left.base) == AnyHashable(right.base)
    }

    @usableFromInline
    func hash(into hasher: inout Hasher) {
        hasher.combine(AnyHashable(base))
    }
}

/// Identifies a child among the children of a station.
@usableFromInline
struct ChildKey: Hashable, Sendable {
    /// Number of the child's `Scope` in the station, counting from 1.
    let number: Int

    /// Id of the child in its collection; `nil` for a child that isn't in a collection.
    var element: EffectID?

    @usableFromInline
    init(number: Int) {
        self.number = number
    }

    @usableFromInline
    init(number: Int, element: any Hashable & Sendable) {
        self.number = number
        self.element = EffectID(element)
    }
}
