// SPDX-License-Identifier: Apache-2.0

import DispatchSubjects
import HeadraceStations
import Measuring
import StationSubjects

extension Workload {
    /// Calls a closure that increments a property of an object.
    static let callClosure = onMainActor("floor-closure") {
        let tally = HandWrittenTally.make()
        return { iterations in
            for _ in 0..<iterations { tally.add(tally) }
        }
    }

    /// Pours an action without effect.
    static let pour = pour("pour", .add)

    /// Pours an action that sends another action.
    static let pourAndSend = pour("pour-and-send", .addTwice)

    /// Pours an action into a station whose state is a number.
    static let pourIntoNumber = pour("pour-into-a-number", Level0.action) {
        Station(initialState: Level0.initial) { Level0() }
    }

    /// Pours an action that changes the state, which a reaction follows.
    static let pourWithReaction = pour("pour-with-a-reaction", ()) {
        Station(initialState: Followed()) { ReactingTally() }
    }

    /// Pours an action for a child.
    static let pourThroughOneScope = pour("pour-through-1-scope", Level1.action) {
        Station(initialState: Level1.State()) { Level1() }
    }

    /// Pours an action for the innermost of ten nested children.
    static let pourThroughTenScopes = pour("pour-through-10-scopes", Level10.action) {
        Station(initialState: Level10.State()) { Level10() }
    }

    private static func pour<State, Action>(
        _ name: String,
        _ action: Action,
        makeStation: @escaping @MainActor @Sendable () -> Station<State, Action>
    ) -> Workload {
        onMainActor(name) {
            let station = makeStation()
            return { iterations in
                for _ in 0..<iterations { station.pour(action) }
            }
        }
    }

    /// Creates a station and releases it.
    static let make = onMainActor("make-station") {
        { iterations in
            for _ in 0..<iterations { consume(Station(initialState: Tally.State()) { Tally() }) }
        }
    }

    /// Pours an action for one of many children.
    static func children(_ count: Int) -> Workload {
        onMainActor("pour-to-one-of-\(count)-children") {
            let station = Station(initialState: Rows.State(count: count)) { Rows() }
            return { iterations in
                for number in 0..<iterations { station.pour(.row(number % count, .add)) }
            }
        }
    }

    /// Pours an action through middleware.
    static func middleware(_ count: Int) -> Workload {
        onMainActor("pour-through-\(count)-middleware") {
            let station = Station(
                initialState: Tally.State(),
                middleware: Array(repeating: Watching(), count: count)
            ) { Tally() }
            return { iterations in
                for _ in 0..<iterations { station.pour(.add) }
            }
        }
    }

    private static func pour(_ name: String, _ action: Tally.Action) -> Workload {
        onMainActor(name) {
            let station = Station(initialState: Tally.State()) { Tally() }
            return { iterations in
                for _ in 0..<iterations { station.pour(action) }
            }
        }
    }

    /// Pours an action with an effect that pours another action, and waits for it, off the main actor.
    static let pourAndAwait = Workload("pour-and-await-effect", concurrent: true) {
        let station = ActorStation(initialState: Tally.State()) { Tally() }
        return { @concurrent iterations in
            for _ in 0..<iterations { try await station.pour(.addLater).finish() }
        }
    }

    /// Waits, on the main actor, for an action whose effects have ended.
    static let finish = Workload("finish-with-nothing-left") {
        let loop: @MainActor @Sendable (Int) async throws -> Void = MainActor.assumeIsolated {
            let station = Station(initialState: Tally.State()) { Tally() }
            return { iterations in
                let poured = station.pour(.addLater)
                for _ in 0...iterations { try await poured.finish() }
            }
        }
        return { iterations in try await loop(iterations) }
    }

    /// Starts a task and waits for it.
    static let awaitTask = Workload("floor-task", concurrent: true) {
        { @concurrent iterations in
            for number in 0..<iterations { await Task { consume(number) }.value }
        }
    }

    /// A workload of the main actor.
    static func onMainActor(
        _ name: String,
        prepare: @escaping @MainActor @Sendable () -> @MainActor (_ iterations: Int) -> Void
    ) -> Workload {
        Workload(name) {
            let loop = MainActor.assumeIsolated(prepare)
            return { iterations in await loop(iterations) }
        }
    }
}
