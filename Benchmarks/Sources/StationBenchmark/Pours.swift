//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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

    /// Pours an action that sends another one.
    static let pourAndSend = pour("pour-and-send", .addTwice)

    private static func pour(_ name: String, _ action: Tally.Action) -> Workload {
        onMainActor(name) {
            let station = Station(initialState: Tally.State()) { Tally() }
            return { iterations in
                for _ in 0..<iterations { station.pour(action) }
            }
        }
    }

    /// Pours an action whose effect pours one back, and waits for it, off the main actor.
    static let pourAndAwait = Workload("pour-and-await-effect", concurrent: true) {
        let station = ActorStation(initialState: Tally.State()) { Tally() }
        return { @concurrent iterations in
            for _ in 0..<iterations { try await station.pour(.addLater).finish() }
        }
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
