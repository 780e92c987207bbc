//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DequeModule
import Foundation
import HeadraceCore
import HeadraceRelay
import HeadraceStorage
import Synchronization

/// Records messages, stages, and deliveries while the inspector is in use.
///
/// A request to the inspector activates the recorder. If the window passes without another request, the next message
/// deactivates it. An inactive recorder costs one read of an atomic flag for each message.
final class FlowRecorder: Sendable {
    /// Identifies an entry of a message.
    ///
    /// An event has an entry for each attempt of each of its deliveries.
    private struct MessageKey: Hashable {
        let id: UUID
        let subscription: String?
        let attempt: Int

        /// Creates the key of the message `id` in this task, which may be handling a delivery of the message.
        init(_ id: UUID) {
            let delivery = DeliveryContext.current.flatMap { $0.messageID == id ? $0 : nil }
            self.id = id
            subscription = delivery?.subscription
            attempt = delivery?.attempt ?? 0
        }
    }

    /// The outcome of a message or stage, as far as the redaction shows it.
    private struct ShownOutcome {
        let code: String
        let isFailure: Bool
        let failure: String?
    }

    private struct State {
        var buffer: FlowBuffer
        var rates = RateHistory()
        var deliveries: Deque<DeliveryView> = []
        var lastRequest: ContinuousClock.Instant

        /// Entry numbers by message and by stage, and the reverse.
        ///
        /// Each holds only entries of the buffer.
        var messages: [MessageKey: UInt64] = [:]
        var messageKeys: [UInt64: MessageKey] = [:]
        var stages: [UInt64: UInt64] = [:]
        var stageIDs: [UInt64: UInt64] = [:]

        /// Number of entries in the buffer whose handling is in progress.
        var openCount = 0

        mutating func forget(_ removed: [FlowEntry]) {
            for entry in removed {
                if entry.duration == nil { openCount -= 1 }
                if let key = messageKeys.removeValue(forKey: entry.number), messages[key] == entry.number {
                    messages[key] = nil
                }
                if let stage = stageIDs.removeValue(forKey: entry.number) { stages[stage] = nil }
            }
        }
    }

    private static let deliveryLimit = 200

    let configuration: InspectorConfiguration
    let clock: any TimeSource
    private let wallClock: @Sendable () -> Date
    private let start: ContinuousClock.Instant
    private let isActive = Atomic<Bool>(false)

    /// Whether an entry is in progress.
    ///
    /// Its end is recorded even if the recorder is inactive by then.
    private let hasOpenEntries = Atomic<Bool>(false)
    private let state: Mutex<State>

    init(
        configuration: InspectorConfiguration,
        clock: any TimeSource,
        wallClock: @escaping @Sendable () -> Date
    ) {
        self.configuration = configuration
        self.clock = clock
        self.wallClock = wallClock
        start = clock.now
        let buffer = FlowBuffer(capacity: configuration.capacity, byteLimit: configuration.byteLimit)
        state = Mutex(State(buffer: buffer, lastRequest: start))
    }

    // MARK: Activity

    /// Whether the recorder is active.
    ///
    /// It can still be `true` after the window, until the next message.
    var isListening: Bool { isActive.load(ordering: .relaxed) }

    /// Activates the recorder for the length of the window.
    func activate() {
        let now = clock.now
        state.withLock { state in
            state.lastRequest = now
            isActive.store(true, ordering: .relaxed)
        }
    }

    /// Deactivates the recorder if the window has passed, and returns whether the recorder is still active.
    func remainsActive() -> Bool {
        if !isListening { return false }
        let now = clock.now
        return state.withLock { state in
            if state.lastRequest.duration(to: now) <= configuration.window { return true }
            isActive.store(false, ordering: .relaxed)
            return false
        }
    }

    // MARK: Recording

    func messageBegan(_ context: MessageContext, payload: String?) {
        if !remainsActive() { return }
        let delivery = DeliveryContext.current.flatMap { $0.messageID == context.id ? $0 : nil }
        let entry = FlowEntry(
            id: context.id,
            kind: context.kind.description,
            type: context.name,
            cause: context.causationID,
            correlation: context.correlationID,
            began: wallClock().millisecondsSince1970,
            payload: payload,
            note: delivery.map { "to \($0.subscription), attempt \($0.attempt)" + ($0.isReplay ? ", replay" : "") }
        )
        let key = MessageKey(context.id)
        let causeKey = context.causationID.map { MessageKey($0) }
        let stage = MessageStage.current.flatMap { $0.message?.id == context.causationID ? $0.id : nil }
        state.withLock { state in
            append(entry, within: stage, causedBy: causeKey, to: &state)
            state.messages[key] = state.buffer.last
            state.messageKeys[state.buffer.last] = key
        }
    }

    func messageEnded(_ context: MessageContext, outcome: MessageOutcome, after duration: Duration) {
        if !recordsEnds { return }
        let outcome = shown(outcome)
        let second = second
        let key = MessageKey(context.id)
        let result = context.result
        let remark = remark(about: context.id)
        state.withLock { state in
            state.rates.add(
                kind: context.kind.description,
                duration: duration,
                isFailure: outcome.isFailure,
                second: second
            )
            let number = state.messages[key]
            let delivery = number.flatMap { state.buffer[$0]?.note }
            let note = remark.map { remark in delivery.map { "\($0), \(remark)" } ?? remark }
            end(number, outcome, note: note ?? result, after: duration, in: &state)
        }
    }

    /// The reaction of a process to the message `id`, if this task handles a delivery of the message.
    private func remark(about id: UUID?) -> String? {
        guard let delivery = DeliveryContext.current, delivery.messageID == id, let remark = delivery.remark.content
        else { return nil }
        let key = configuration.shown(remark.key) { configuration.redaction.identifier(remark.process, $0) }
        return "process \(remark.process)\(key.map { " \($0)" } ?? ""): \(remark.text)"
    }

    func stageBegan(_ stage: MessageStage, payload: String?) {
        if !remainsActive() { return }
        let entry = FlowEntry(
            kind: stage.kind.description,
            type: stage.type.map { String(naming: $0) } ?? "",
            cause: stage.message?.id,
            correlation: stage.message?.correlationID,
            began: wallClock().millisecondsSince1970,
            payload: payload
        )
        let key = (stage.message?.id).map { MessageKey($0) }
        state.withLock { state in
            append(entry, within: stage.parentID, causedBy: key, to: &state)
            state.stages[stage.id] = state.buffer.last
            state.stageIDs[state.buffer.last] = stage.id
        }
    }

    func stageEnded(_ stage: MessageStage, outcome: MessageOutcome, after duration: Duration) {
        if !recordsEnds { return }
        let outcome = shown(outcome)
        let remark = stage.kind == .unitOfWork ? remark(about: stage.message?.id) : nil
        state.withLock { state in
            end(state.stages[stage.id], outcome, note: remark, after: duration, in: &state)
        }
    }

    func deliveryEnded(_ delivery: Delivery, outcome: String, failure: String? = nil, retry: Date? = nil) {
        if !remainsActive() { return }
        let view = DeliveryView(
            date: wallClock().millisecondsSince1970,
            outcome: outcome,
            subscription: delivery.subscription,
            message: delivery.content.messageName,
            attempt: delivery.attempt,
            failure: failure.flatMap { configuration.shown($0, by: configuration.redaction.failure) },
            retry: retry?.millisecondsSince1970
        )
        state.withLock { state in
            if state.deliveries.count == Self.deliveryLimit { state.deliveries.removeFirst() }
            state.deliveries.append(view)
        }
    }

    private var recordsEnds: Bool { isListening || hasOpenEntries.load(ordering: .relaxed) }

    private func append(_ entry: FlowEntry, within stage: UInt64?, causedBy cause: MessageKey?, to state: inout State) {
        var entry = entry
        entry.parent = stage.flatMap { state.stages[$0] } ?? cause.flatMap { state.messages[$0] }
        let removed = state.buffer.append(entry)
        state.openCount += 1
        forget(removed, in: &state)
    }

    private func end(
        _ number: UInt64?,
        _ outcome: ShownOutcome,
        note: String? = nil,
        after duration: Duration,
        in state: inout State
    ) {
        guard let number else { return }
        if state.buffer[number]?.duration == nil { state.openCount -= 1 }
        let removed = state.buffer.update(number) { entry in
            entry.duration = duration / .milliseconds(1)
            entry.outcome = outcome.code
            entry.failure = outcome.failure
            if let note { entry.note = note }
        }
        forget(removed, in: &state)
    }

    private func forget(_ removed: [FlowEntry], in state: inout State) {
        state.forget(removed)
        hasOpenEntries.store(state.openCount > 0, ordering: .relaxed)
    }

    private func shown(_ outcome: MessageOutcome) -> ShownOutcome {
        switch outcome {
        case .success: ShownOutcome(code: outcome.code, isFailure: false, failure: nil)
        case .failure(let error):
            ShownOutcome(
                code: outcome.code,
                isFailure: true,
                failure: configuration.shown("\(error)", by: configuration.redaction.failure)
            )
        }
    }

    // MARK: Views

    /// Returns at most `limit` entries that changed after `revision` and contain `search`.
    func flow(after revision: UInt64, search: String? = nil, limit: Int) -> FlowView {
        let buffer = state.withLock { $0.buffer }
        let changed = buffer.entries(after: revision, limit: search == nil ? limit : .max)
        if let search {
            let found = changed.filter { $0.contains(search) }.suffix(limit)
            return FlowView(revision: buffer.revision, first: buffer.first, entries: Array(found))
        }
        // If there are more changes, the next call continues after the last one of these.
        let isComplete = changed.count < limit
        let end = isComplete ? buffer.revision : changed.last?.revision ?? buffer.revision
        return FlowView(revision: end, first: buffer.first, entries: changed)
    }

    /// Throughput and latency of the last seconds.
    var rates: RatesView {
        let second = second
        return RatesView(points: state.withLock { $0.rates }.points(upTo: second))
    }

    /// Outcomes of the last deliveries, the latest first.
    var deliveries: [DeliveryView] { state.withLock { $0.deliveries.reversed() } }

    /// The current time for display.
    var now: Date { wallClock() }

    private var second: Int { Int(start.duration(to: clock.now).components.seconds) }
}
