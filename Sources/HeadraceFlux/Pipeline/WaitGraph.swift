// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Synchronization

/// Detects deadlocks: actions of several dispatchers that wait for each other in a circle.
///
/// For example, action A of one dispatcher awaits an action of a second dispatcher, which is executing action B, so A waits
/// for B. If B then awaits an action of the first dispatcher, both wait forever. To prevent that, a task that executes an
/// action registers each wait before it starts. If the wait would close a circle, the task throws an error instead.
///
/// Only tasks that execute an action and must wait use the graph. A task without an action holds no turn, so no other task
/// waits for it.
final class WaitGraph: Sendable {
    static let shared = WaitGraph()

    /// A turn that the waiting task keeps until its wait has ended.
    struct HeldTurn: Sendable {
        let queue: ObjectIdentifier
        let action: any Action.Type
    }

    /// A link of a circle: an action, and the goal of its wait.
    struct Link: Sendable {
        let action: any Action.Type
        let goal: Goal
    }

    /// The event that ends a wait.
    enum Goal: Sendable {
        /// The turn of an action of this type.
        case turn(any Action.Type)

        /// The end of all actions of a dispatcher of this type.
        case empty(Any.Type)
    }

    /// The wait of one task.
    final class Wait: Sendable {
        fileprivate let held: [HeldTurn]
        fileprivate let wanted: ActionQueue
        fileprivate let goal: Goal

        /// Number of the waiting action in the queue, or of the waiting task if the goal is `empty`.
        private let number: Int

        init(for wanted: ActionQueue, number: Int, goal: Goal, holding held: [HeldTurn]) {
            self.held = held
            self.wanted = wanted
            self.goal = goal
            self.number = number
        }

        /// Whether the task still waits: it has neither received the turn nor been cancelled.
        fileprivate var isOpen: Bool {
            switch goal {
            case .turn: wanted.isWaiting(number)
            case .empty: wanted.hasDrainer(number)
            }
        }

        fileprivate func link(holding queue: ObjectIdentifier) -> Link? {
            held.first { $0.queue == queue }.map { Link(action: $0.action, goal: goal) }
        }
    }

    /// The waits, by the turns that the waiting tasks hold.
    private let waits = Mutex<[ObjectIdentifier: [Wait]]>([:])

    /// Adds `wait`, unless it would close a circle.
    ///
    /// - Returns: The circle, which begins with `wait`, or an empty array.
    func add(_ wait: Wait) -> [Link] {
        waits.withLock { waits in
            let circle = circle(closedBy: wait, among: waits)
            if circle.isEmpty { for turn in wait.held { waits[turn.queue, default: []].append(wait) } }
            return circle
        }
    }

    /// Removes `wait`, which has ended.
    func remove(_ wait: Wait) {
        waits.withLock { waits in
            for turn in wait.held {
                guard var remaining = waits.removeValue(forKey: turn.queue) else { continue }
                remaining.removeAll { $0 === wait }
                if !remaining.isEmpty { waits[turn.queue] = remaining }
            }
        }
    }

    /// Follows the waits from queue to queue until a wait leads to a turn that the task of `wait` holds.
    private func circle(closedBy wait: Wait, among waits: [ObjectIdentifier: [Wait]]) -> [Link] {
        var paths: [(queue: ObjectIdentifier, links: [Link])] = [(ObjectIdentifier(wait.wanted), [])]
        var visited: Set<ObjectIdentifier> = []
        while let (queue, links) = paths.popLast() {
            if let own = wait.link(holding: queue) { return [own] + links }
            guard visited.insert(queue).inserted else { continue }
            for other in waits[queue] ?? [] where other.isOpen {
                guard let link = other.link(holding: queue) else { continue }
                paths.append((ObjectIdentifier(other.wanted), links + [link]))
            }
        }
        return []
    }
}

extension PipelineError {
    /// The error of the task whose wait would close `circle`.
    static func deadlock(_ circle: [WaitGraph.Link]) -> PipelineError {
        deadlock(
            circle.map(\.description),
            hasDrain: circle.contains { if case .empty = $0.goal { true } else { false } }
        )
    }
}

extension WaitGraph.Link: CustomStringConvertible {
    /// The action and the goal of its wait, both with their dispatchers.
    var description: String {
        let goal =
            switch goal {
            case .turn(let action): Self.name(action)
            case .empty(let dispatcher): "the end of all actions of '\(String(naming: dispatcher))'"
            }
        return "\(Self.name(action)) waits for \(goal)"
    }

    private static func name<A: Action>(_ action: A.Type) -> String {
        "'\(String(naming: A.self))' of '\(String(naming: A.Dispatcher.self))'"
    }
}
