//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceStations

/// A station that is shown, and how to begin to follow it.
struct ShownStation: Sendable {
    let history: StationHistory
    let start: @Sendable () -> Void

    /// Begins to follow the station, unless that is being done.
    func follow() {
        if history.claim() { start() }
    }
}

/// Follows the changes of stations while somebody looks.
///
/// Why a task of its own is right here: nobody waits for it, and it ends by itself, with the station, or with the first
/// action after the last look. It keeps neither station nor inspector: a feed holds its station weakly.
enum StationFollowing {
    private static let feedLimit = 256

    static func follow<State, Action>(
        _ station: Station<State, Action>,
        in history: StationHistory,
        recorder: FlowRecorder
    ) -> @Sendable () -> Void {
        { [weak station] in
            Task { @MainActor in
                await follow(station?.properties, station?.changes(limit: feedLimit), in: history, recorder: recorder)
            }
        }
    }

    static func follow<State, Action>(
        _ station: ActorStation<State, Action>,
        in history: StationHistory,
        recorder: FlowRecorder
    ) -> @Sendable () -> Void {
        { [weak station] in
            Task {
                // What is told of twice is the same both times, so the feed comes first: nothing is missed.
                let changes = await station?.changes(limit: feedLimit)
                guard let changes, let base = await station?.properties else { return history.release(isGone: true) }
                history.begin(base)
                for await reduction in changes {
                    if !recorder.staysAwake() { return history.release(isGone: false) }
                    history.add(reduction, at: recorder.now)
                }
                history.release(isGone: true)
            }
        }
    }

    @MainActor
    private static func follow<Action>(
        _ base: [StateChange]?,
        _ changes: Feed<Reduction<Action>>?,
        in history: StationHistory,
        recorder: FlowRecorder
    ) async {
        guard let base, let changes else { return history.release(isGone: true) }
        history.begin(base)
        for await reduction in changes {
            if !recorder.staysAwake() { return history.release(isGone: false) }
            history.add(reduction, at: recorder.now)
        }
        history.release(isGone: true)
    }
}
