//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Headrace
import Synchronization

/// Lets one at a time change something, such as an account, in the order in which they come.
///
/// Whoever changes several things takes them in the order of their names, all before the first change: so nobody waits
/// for somebody who waits for them.
final class Turns: Sendable {
    private struct Waiter {
        let id: UInt64
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        /// Those who wait, by the things that are taken.
        var queues: [String: [Waiter]] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Runs `operation` when nobody else changes any of `things`, until it ends or ends its turn.
    ///
    /// Within an operation that has turns it waits for none: that one has taken those of all that it does.
    ///
    /// - Throws: `CancellationError` where the task is cancelled while it waits; what `operation` throws.
    nonisolated(nonsending) func take<Result>(
        _ things: Set<String>,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        if Turn.current != nil || things.isEmpty { return try await operation() }
        let turn = Turn(pass: try await waitForAll(things.sorted()))
        defer { turn.end() }
        return try await Self.within(turn, isolation: #isolation, operation)
    }

    /// Runs `operation` with a turn, on the actor of the caller: the closure stays there as it captures that.
    private static func within<Result>(
        _ turn: Turn,
        isolation: isolated (any Actor)?,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        try await Turn.$current.withValue(turn) {
            _ = isolation
            return try await operation()
        }
    }

    /// Waits for `things`, one after the other, and gives what passes them on.
    private nonisolated(nonsending) func waitForAll(_ things: [String]) async throws -> @Sendable () -> Void {
        var taken = 0
        do {
            for thing in things {
                try await wait(for: thing)
                taken += 1
            }
        } catch {
            for thing in things.prefix(taken) { pass(thing) }
            throw error
        }
        return { [self] in for thing in things { pass(thing) } }
    }

    private nonisolated(nonsending) func wait(for thing: String) async throws {
        let id: UInt64? = state.withLock { state in
            guard state.queues[thing] != nil else {
                state.queues[thing] = []
                return nil
            }
            state.lastID += 1
            return state.lastID
        }
        guard let id else { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // The cancellation handler takes the lock too: it ran before, and the task is cancelled here, or it
                // runs after, and finds the waiter. The turn may have been passed on since it was asked for.
                let outcome: Swift.Result<Void, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    guard state.queues[thing] != nil else {
                        state.queues[thing] = []
                        return .success(())
                    }
                    state.queues[thing]?.append(Waiter(id: id, continuation: continuation))
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let cancelled = state.withLock { state in
                state.queues[thing]?.firstIndex { $0.id == id }.flatMap { state.queues[thing]?.remove(at: $0) }
            }
            cancelled?.continuation.resume(throwing: CancellationError())
        }
    }

    private func pass(_ thing: String) {
        let next = state.withLock { state -> Waiter? in
            guard let queue = state.queues[thing], !queue.isEmpty else {
                state.queues[thing] = nil
                return nil
            }
            return state.queues[thing]?.removeFirst()
        }
        next?.continuation.resume()
    }
}
