//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore
import Synchronization

/// The model of a store; as a value, it is changed by one at a time, in the order in which they come.
final class ModelBox<Model: Sendable>: Sendable {
    private struct State {
        /// `nil` while it is being changed, so that its buffers have one owner and are not copied.
        var model: Model?

        /// As the last finished mutation left it; only kept where someone asks.
        var last: Model?

        var isHeld = false

        var waiting = Line()
    }

    /// The model as it was given; all there is to an object.
    let initial: Model

    private let state: Mutex<State>
    private let isObserved: Bool
    private let listener: (@Sendable (any Sendable) -> Void)?

    init(_ model: Model, isObserved: Bool, listener: (@Sendable (any Sendable) -> Void)?) {
        initial = model
        self.isObserved = isObserved
        self.listener = listener
        state = Mutex(State(model: model, last: isObserved ? model : nil))
        listener?(model)
    }

    /// The model as the last finished mutation left it.
    var current: Model { state.withLock { $0.last ?? $0.model } ?? initial }

    /// Runs `body` with the model, when those that came before have had it.
    ///
    /// - Throws: ``ServiceError`` where it is called by a mutation of the same model; `CancellationError`; what `body`
    ///   throws, and what it has changed is kept.
    nonisolated(nonsending) func mutate(
        _ body: nonisolated(nonsending) (inout Model) async throws -> Void
    ) async throws {
        if HeldModel.isHeld(self) { throw ServiceError.modelInUse(Model.self) }
        try await hold()
        var model = state.withLock { $0.model.take() } ?? initial
        let holding = HeldModel(self)
        defer {
            holding.release()
            giveBack(model)
        }
        try await HeldModel.$current.binding(holding) { try await body(&model) }
    }

    private nonisolated(nonsending) func hold() async throws {
        let place: Int? = state.withLock { state in
            if state.isHeld { return state.waiting.makePlace() }
            state.isHeld = true
            return nil
        }
        guard let place else { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // The cancellation handler takes the lock too: it ran before, and the task is cancelled here, or it runs
                // after, and finds the continuation.
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.isHeld {
                        state.waiting.add(continuation, at: place)
                        return nil
                    }
                    state.isHeld = true
                    return .success(())
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            state.withLock { $0.waiting.leave(place) }?.resume(throwing: CancellationError())
        }
    }

    private func giveBack(_ model: Model) {
        listener?(model)
        let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            if isObserved { state.last = model }
            state.model = model
            let next = state.waiting.takeFirst()
            state.isHeld = next != nil
            return next
        }
        next?.resume()
    }
}

/// Who waits, in the order in which they came.
private struct Line {
    typealias Waiter = CheckedContinuation<Void, any Error>

    /// Those who wait and have not left.
    private var waiters: [Int: Waiter] = [:]

    /// The places in the order in which they were taken, from `head` on; some of them may have been left.
    private var order: [Int] = []
    private var head = 0
    private var lastPlace = 0

    mutating func makePlace() -> Int {
        lastPlace += 1
        return lastPlace
    }

    mutating func add(_ waiter: Waiter, at place: Int) {
        waiters[place] = waiter
        order.append(place)
    }

    mutating func leave(_ place: Int) -> Waiter? {
        waiters.removeValue(forKey: place)
    }

    mutating func takeFirst() -> Waiter? {
        while head < order.count {
            let place = order[head]
            head += 1
            if head == order.count {
                order.removeAll(keepingCapacity: true)
                head = 0
            }
            if let waiter = waiters.removeValue(forKey: place) { return waiter }
        }
        return nil
    }
}
