// SPDX-License-Identifier: Apache-2.0

import Foundation
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

    /// Reduces a journal on a copy of the state; `nil` if the station has been released.
    let replay: @Sendable (JournalFile) async throws -> StationView?

    /// Pours the action that restores the state after some actions of a journal, and returns `false` if the station has been
    /// released; `nil` if the station has no such action.
    let restore: (@Sendable (JournalFile, _ count: Int) async throws -> Bool)?

    init<State, Action>(
        _ station: Station<State, Action>,
        history: StationHistory,
        restoring makeAction: (@Sendable (State) -> Action)?,
        recorder: FlowRecorder
    ) {
        self.history = history
        start = { [weak station] in
            Task { @MainActor in
                let inspection = station?.inspect(limit: Self.feedLimit)
                await Self.record(inspection, in: history, recorder) { [weak station] in
                    await station?.subscriptionNames ?? []
                } folding: { [weak station] in
                    try? await station?.stateJSON(after: $0)
                }
            }
        }
        replay = { [weak station] file in
            guard let station else { return nil }
            let replayed = history.emptyCopy()
            try await station.replay(file, to: replayed)
            return replayed.view
        }
        restore = makeAction.map { makeAction in
            { @Sendable [weak station] (file: JournalFile, count: Int) async throws -> Bool in
                guard let station else { return false }
                try await station.pour(makeAction, after: count, of: file)
                return true
            }
        }
    }

    init<State, Action>(
        _ station: ActorStation<State, Action>,
        history: StationHistory,
        restoring makeAction: (@Sendable (State) -> Action)?,
        recorder: FlowRecorder
    ) {
        self.history = history
        start = { [weak station] in
            Task {
                let inspection = await station?.inspect(limit: Self.feedLimit)
                await Self.record(inspection, in: history, recorder) { [weak station] in
                    await station?.subscriptionNames ?? []
                } folding: { [weak station] in
                    try? await station?.stateJSON(after: $0)
                }
            }
        }
        replay = { [weak station] file in
            guard let station else { return nil }
            let replayed = history.emptyCopy()
            try await station.replay(file, to: replayed)
            return replayed.view
        }
        restore = makeAction.map { makeAction in
            { @Sendable [weak station] (file: JournalFile, count: Int) async throws -> Bool in
                guard let station else { return false }
                try await station.pour(makeAction, after: count, of: file)
                return true
            }
        }
    }

    /// Starts the recording if it isn't running.
    func follow() {
        if history.claim() { start() }
    }

    private static func record<Action>(
        _ inspection: StationInspection<some AsyncSequence<Reduction<Action>, Never>>?,
        in history: StationHistory,
        _ recorder: FlowRecorder,
        subscriptions: @Sendable () async -> [String],
        folding fold: @Sendable (JournalFile) async -> Data?
    ) async {
        guard let inspection else { return history.release(isGone: true) }
        history.begin(inspection.properties, state: inspection.state)
        for await reduction in inspection.changes {
            if !recorder.remainsActive() { return history.release(isGone: false) }
            history.add(reduction, at: recorder.now)
            if let file = history.removedActions { history.fold(await fold(file)) }
            history.setSubscriptions(await subscriptions())
        }
        history.release(isGone: true)
    }
}
