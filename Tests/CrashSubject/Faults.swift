// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import HeadraceStorage
import Synchronization

/// Sends a signal to the process at a pass of a fault point.
///
/// In addition to the fault points of the store, there is `after-handler`: a handler of the relay has returned, and its
/// changes are not stored yet; and `raised`: an event is in a transaction of the program, which is not committed yet.
final class Faults: Sendable {
    private struct State {
        var passed = 0
        var isHandlerOver = false
    }

    private let point: String
    private let passes: Int
    private let signal: Int32
    private let state = Mutex(State())

    init(point: String, passes: String, signal: String = "\(SIGKILL)") throws {
        guard let passes = Int(passes), let signal = Int32(signal) else {
            throw UnknownArguments(arguments: [point, passes, signal])
        }
        self.point = point
        self.passes = passes
        self.signal = signal
    }

    func pass(_ reached: FaultPoint) {
        if point != "after-handler" { return pass(reached.rawValue) }
        let isHere = state.withLock { state in
            if reached != .beforeAcknowledge { return false }
            defer { state.isHandlerOver = false }
            return state.isHandlerOver
        }
        if isHere { end() }
    }

    /// Passes a point of the program.
    func pass(_ reached: String) {
        let isHere = state.withLock { state in
            if point == reached { state.passed += 1 }
            return point == reached && state.passed == passes
        }
        if isHere { end() }
    }

    /// Sends the signal.
    private func end() {
        if signal == SIGSTOP { CrashSubject.say("stopped") }
        // The signal goes to this thread, so that the thread does not continue before the signal arrives. All threads
        // stop with it.
        pthread_kill(pthread_self(), signal)
    }

    /// Passes `after-handler` while `store` has no open transaction, so that other processes don't wait.
    func endHandler(on store: any DeliveryStore) async throws {
        if point != "after-handler" { return }
        let isTheOne = state.withLock { state in
            state.passed += 1
            if state.passed == passes { state.isHandlerOver = true }
            return state.passed == passes
        }
        if isTheOne { _ = try await store.settle([]) }
    }
}
#endif
