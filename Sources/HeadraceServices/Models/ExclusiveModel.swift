//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore
import Synchronization

/// The model of a store.
///
/// If the model is a value, its mutations run one at a time, in the order in which they arrived.
final class ExclusiveModel<Model: Sendable>: Sendable {
    private struct State {
        /// `nil` during a mutation, so that the model's buffers have one owner and aren't copied.
        var model: Model?

        /// The result of the last finished mutation; only stored if the store has observers.
        var last: Model?

        var isHeld = false

        var queue = MutationQueue()
    }

    /// The model as it was provided.
    ///
    /// An object never changes its identity, so this is all a store of objects needs.
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

    /// The result of the last finished mutation.
    var current: Model { state.withLock { $0.last ?? $0.model } ?? initial }

    /// Runs `body` with the model after the mutations that arrived earlier.
    ///
    /// - Throws: ``ServiceError`` if a mutation of the same model calls it; `CancellationError`; the error of `body`, whose
    ///   changes are kept.
    nonisolated(nonsending) func mutate(
        _ body: nonisolated(nonsending) (inout Model) async throws -> Void
    ) async throws {
        if ModelHolder.isHeld(self) { throw ServiceError.modelInUse(Model.self) }
        try await acquire()
        var model = state.withLock { $0.model.take() } ?? initial
        let holder = ModelHolder(self)
        defer {
            holder.release()
            release(model)
        }
        try await ModelHolder.$current.binding(holder) { try await body(&model) }
    }

    private nonisolated(nonsending) func acquire() async throws {
        let ticket: Int? = state.withLock { state in
            if state.isHeld { return state.queue.makeTicket() }
            state.isHeld = true
            return nil
        }
        guard let ticket else { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // The cancellation handler takes the same lock. If it ran before this closure, the task is cancelled here.
                // If it runs after this closure, it finds the continuation.
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.isHeld {
                        state.queue.add(continuation, for: ticket)
                        return nil
                    }
                    state.isHeld = true
                    return .success(())
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            state.withLock { $0.queue.remove(ticket) }?.resume(throwing: CancellationError())
        }
    }

    private func release(_ model: Model) {
        listener?(model)
        let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            if isObserved { state.last = model }
            state.model = model
            let next = state.queue.popFirst()
            state.isHeld = next != nil
            return next
        }
        next?.resume()
    }
}

/// The waiting mutations, in the order in which they arrived.
private struct MutationQueue {
    typealias Continuation = CheckedContinuation<Void, any Error>

    private var waiting: [Int: Continuation] = [:]

    /// The tickets in order, from `head` on.
    ///
    /// A ticket of a cancelled mutation stays here, without a continuation.
    private var order: [Int] = []
    private var head = 0
    private var lastTicket = 0

    mutating func makeTicket() -> Int {
        lastTicket += 1
        return lastTicket
    }

    mutating func add(_ continuation: Continuation, for ticket: Int) {
        waiting[ticket] = continuation
        order.append(ticket)
    }

    mutating func remove(_ ticket: Int) -> Continuation? {
        waiting.removeValue(forKey: ticket)
    }

    mutating func popFirst() -> Continuation? {
        while head < order.count {
            let ticket = order[head]
            head += 1
            if head == order.count {
                order.removeAll(keepingCapacity: true)
                head = 0
            }
            if let continuation = waiting.removeValue(forKey: ticket) { return continuation }
        }
        return nil
    }
}
