//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceStations

/// A station whose changes the page shows while the inspector is in use.
///
/// The recording runs in an unstructured task, because no caller waits for it. The task ends when the station is released, or
/// with the first action after the inspector was last used. It keeps neither the station nor the inspector alive: a feed
/// holds its station weakly.
struct InspectedStation: Sendable {
    private static let feedLimit = 256

    let history: StationHistory
    private let start: @Sendable () -> Void

    init<State, Action>(_ station: Station<State, Action>, history: StationHistory, recorder: FlowRecorder) {
        self.history = history
        start = { [weak station] in
            Task { @MainActor in
                let changes = station?.changes(limit: Self.feedLimit)
                await Self.record(changes, after: station?.properties, in: history, recorder) { [weak station] in
                    await station?.subscriptionNames ?? []
                }
            }
        }
    }

    init<State, Action>(_ station: ActorStation<State, Action>, history: StationHistory, recorder: FlowRecorder) {
        self.history = history
        start = { [weak station] in
            Task {
                // The feed comes first, so that no change is missed. A change that both of them contain does no harm:
                // it sets the property to the same value again.
                let changes = await station?.changes(limit: Self.feedLimit)
                let properties = await station?.properties
                await Self.record(changes, after: properties, in: history, recorder) { [weak station] in
                    await station?.subscriptionNames ?? []
                }
            }
        }
    }

    /// Starts the recording if it isn't running.
    func follow() {
        if history.claim() { start() }
    }

    private static func record<Action>(
        _ changes: (some AsyncSequence<Reduction<Action>, Never>)?,
        after properties: [StateChange]?,
        in history: StationHistory,
        _ recorder: FlowRecorder,
        subscriptions: @Sendable () async -> [String]
    ) async {
        guard let changes, let properties else { return history.release(isGone: true) }
        history.begin(properties)
        for await reduction in changes {
            if !recorder.remainsActive() { return history.release(isGone: false) }
            history.add(reduction, at: recorder.now)
            history.setSubscriptions(await subscriptions())
        }
        history.release(isGone: true)
    }
}
