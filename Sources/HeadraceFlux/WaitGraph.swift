// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Synchronization

/// A turn that a task keeps until it continues.
struct HeldTurn: Sendable {
    let queue: ObjectIdentifier
    let action: any Action.Type
}

/// The event that ends a wait, and its type for the message of an error.
enum WaitGoal: Sendable {
    /// The turn of an action of this type.
    case turn(any Action.Type)

    /// The end of all actions of a dispatcher of this type.
    case empty(Any.Type)
}

/// A link of a circle: an action that keeps its turn, and the goal of its wait.
struct WaitLink: Sendable, CustomStringConvertible {
    let action: any Action.Type
    let goal: WaitGoal

    /// Whether the action waits for all actions of a dispatcher.
    var isDrain: Bool { if case .empty = goal { true } else { false } }

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

#if DEBUG
/// The wait of a task that executes an action, for the detection of deadlocks in debug builds.
///
/// For example, action A of one dispatcher awaits an action of a second dispatcher, which is executing action B, so A waits
/// for B. If B then awaits an action of the first dispatcher, both wait forever. So each wait is added to a graph before it
/// starts, and if it would close a circle, the task throws an error instead. A task without an action holds no turn, so no
/// other task waits for it, and its waits aren't added.
final class Wait: Sendable {
    /// The waits of all tasks that execute an action.
    private static let all = Mutex<[Wait]>([])

    private let held: [HeldTurn]
    private let wanted: ActionQueue
    private let goal: WaitGoal

    /// Number of the waiting action in the queue, or of the waiting task if the goal is `empty`.
    private let number: Int

    /// Creates the wait of this task for `wanted`.
    init(for wanted: ActionQueue, number: Int, goal: WaitGoal) {
        held = ActiveAction.turnsHeldHere
        self.wanted = wanted
        self.number = number
        self.goal = goal
    }

    /// Adds the wait to the graph, unless it would close a circle.
    ///
    /// - Returns: The error that names the circle, beginning with this wait; `nil` if there is none.
    func begin() -> PipelineError? {
        if held.isEmpty { return nil }
        return Self.all.withLock { all in
            if let circle = circle(among: all) { return .deadlock(circle) }
            all.append(self)
            return nil
        }
    }

    /// Removes the wait, which has ended.
    func end() {
        if !held.isEmpty { Self.all.withLock { $0.removeAll { $0 === self } } }
    }

    /// Follows the waits from queue to queue until a wait leads to a turn that this task holds.
    private func circle(among all: [Wait]) -> [WaitLink]? {
        var paths: [(queue: ObjectIdentifier, links: [WaitLink])] = [(ObjectIdentifier(wanted), [])]
        var visited: Set<ObjectIdentifier> = []
        while let (queue, links) = paths.popLast() {
            if let own = link(holding: queue) { return [own] + links }
            guard visited.insert(queue).inserted else { continue }
            for other in all {
                guard let link = other.link(holding: queue), other.isOpen else { continue }
                paths.append((ObjectIdentifier(other.wanted), links + [link]))
            }
        }
        return nil
    }

    /// Whether the task still waits: it has neither received the turn nor been cancelled.
    private var isOpen: Bool {
        switch goal {
        case .turn: wanted.isWaiting(number)
        case .empty: wanted.hasDrainer(number)
        }
    }

    private func link(holding queue: ObjectIdentifier) -> WaitLink? {
        held.first { $0.queue == queue }.map { WaitLink(action: $0.action, goal: goal) }
    }
}
#endif
