//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HeadraceCore
import HeadraceRelay
import HeadraceStorage
import Synchronization

/// Writes down what observers are told, while somebody looks.
///
/// Nobody looks where the last look is longer ago than the window: what comes first after that puts it to sleep, and from
/// then on a message costs the reading of one flag.
final class FlowRecorder: Sendable {
    /// What tells messages apart: those of one event are as many as its deliveries are tried.
    private struct Key: Hashable {
        let id: UUID
        let subscription: String?
        let attempt: Int

        /// The key of the message `id` in this task, where a delivery of it may be handled.
        init(_ id: UUID) {
            let delivery = DeliveryContext.current.flatMap { $0.messageID == id ? $0 : nil }
            self.id = id
            subscription = delivery?.subscription
            attempt = delivery?.attempt ?? 0
        }
    }

    private struct State {
        var buffer: FlowBuffer
        var rates = RateHistory()
        var notes: [DeliveryNote] = []
        var lastLook: ContinuousClock.Instant

        /// The numbers of the entries of messages and stages; what has gone from the buffer goes from here.
        var messages: [Key: UInt64] = [:]
        var messageKeys: [UInt64: Key] = [:]
        var stages: [UInt64: UInt64] = [:]
        var stageIDs: [UInt64: UInt64] = [:]

        /// How many entries that are kept have not ended.
        var going = 0

        mutating func forget(_ gone: [FlowEntry]) {
            for entry in gone {
                if entry.duration == nil { going -= 1 }
                if let key = messageKeys.removeValue(forKey: entry.number), messages[key] == entry.number {
                    messages[key] = nil
                }
                if let stage = stageIDs.removeValue(forKey: entry.number) { stages[stage] = nil }
            }
        }
    }

    private static let noteLimit = 200

    let configuration: Inspector.Configuration
    let clock: any TimeSource
    private let wallClock: @Sendable () -> Date
    private let start: ContinuousClock.Instant
    private let isActive = Atomic<Bool>(false)

    /// Whether something that was written down has not ended: then its end is, too.
    private let isWaiting = Atomic<Bool>(false)
    private let state: Mutex<State>

    init(
        configuration: Inspector.Configuration,
        clock: any TimeSource,
        wallClock: @escaping @Sendable () -> Date
    ) {
        self.configuration = configuration
        self.clock = clock
        self.wallClock = wallClock
        start = clock.now
        let buffer = FlowBuffer(capacity: configuration.capacity, byteLimit: configuration.byteLimit)
        state = Mutex(State(buffer: buffer, lastLook: start))
    }

    /// Whether somebody has looked within the window; as long as nothing has come since, it may still say so.
    var isListening: Bool { isActive.load(ordering: .relaxed) }

    /// Somebody looks.
    func look() {
        let now = clock.now
        state.withLock { state in
            state.lastLook = now
            isActive.store(true, ordering: .relaxed)
        }
    }

    /// Falls asleep where nobody has looked within the window; tells whether somebody has.
    func staysAwake() -> Bool {
        if !isListening { return false }
        let now = clock.now
        return state.withLock { stayAwake(&$0, now) }
    }

    private func stayAwake(_ state: inout State, _ now: ContinuousClock.Instant) -> Bool {
        if state.lastLook.duration(to: now) <= configuration.window { return true }
        isActive.store(false, ordering: .relaxed)
        return false
    }

    // MARK: What is told

    func messageBegan(_ context: MessageContext, payload: String?) {
        if !staysAwake() { return }
        let delivery = DeliveryContext.current.flatMap { $0.messageID == context.id ? $0 : nil }
        let entry = FlowEntry(
            id: context.id,
            kind: context.kind.description,
            type: context.typeName,
            cause: context.causationID,
            correlation: context.correlationID,
            began: wallClock().flowTime,
            payload: payload,
            note: delivery.map { "to \($0.subscription), attempt \($0.attempt)" + ($0.isReplay ? ", replay" : "") }
        )
        let key = Key(context.id)
        let causeKey = context.causationID.map { Key($0) }
        let stage = MessageStage.current.flatMap { $0.message?.id == context.causationID ? $0.id : nil }
        state.withLock { state in
            var entry = entry
            entry.parent = stage.flatMap { state.stages[$0] } ?? causeKey.flatMap { state.messages[$0] }
            let gone = state.buffer.append(entry)
            state.messages[key] = state.buffer.last
            state.messageKeys[state.buffer.last] = key
            state.going += 1
            settle(&state, gone)
        }
    }

    func messageEnded(_ context: MessageContext, outcome: MessageOutcome, after duration: Duration) {
        if !isListening && !isWaiting.load(ordering: .relaxed) { return }
        let failure = failure(of: outcome)
        let second = second
        let key = Key(context.id)
        state.withLock { state in
            state.rates.add(
                kind: context.kind.description,
                duration: duration,
                isFailure: failure.isFailure,
                second: second
            )
            if let number = state.messages[key] { end(number, failure, after: duration, in: &state) }
        }
    }

    func stageBegan(_ stage: MessageStage, payload: String?) {
        if !staysAwake() { return }
        let entry = FlowEntry(
            kind: stage.kind.description,
            type: stage.type.map { String(naming: $0) } ?? "",
            cause: stage.message?.id,
            correlation: stage.message?.correlationID,
            began: wallClock().flowTime,
            payload: payload
        )
        let key = (stage.message?.id).map { Key($0) }
        state.withLock { state in
            var entry = entry
            entry.parent = stage.parentID.flatMap { state.stages[$0] } ?? key.flatMap { state.messages[$0] }
            let gone = state.buffer.append(entry)
            state.stages[stage.id] = state.buffer.last
            state.stageIDs[state.buffer.last] = stage.id
            state.going += 1
            settle(&state, gone)
        }
    }

    func stageEnded(_ stage: MessageStage, outcome: MessageOutcome, after duration: Duration) {
        if !isListening && !isWaiting.load(ordering: .relaxed) { return }
        let failure = failure(of: outcome)
        state.withLock { state in
            if let number = state.stages[stage.id] { end(number, failure, after: duration, in: &state) }
        }
    }

    func noted(_ outcome: String, _ delivery: Delivery, failure: String? = nil, retry: Date? = nil) {
        if !staysAwake() { return }
        let note = DeliveryNote(
            date: wallClock().flowTime,
            outcome: outcome,
            subscription: delivery.subscription,
            message: delivery.content.messageName,
            attempt: delivery.attempt,
            failure: failure.flatMap { configuration.shown($0, by: configuration.redaction.failure) },
            retry: retry?.flowTime
        )
        state.withLock { state in
            if state.notes.count == Self.noteLimit { state.notes.removeFirst() }
            state.notes.append(note)
        }
    }

    private func end(_ number: UInt64, _ failure: FlowFailure, after duration: Duration, in state: inout State) {
        if state.buffer[number]?.duration == nil { state.going -= 1 }
        settle(&state, state.buffer.update(number) { $0.end(failure, after: duration) })
    }

    private func settle(_ state: inout State, _ gone: [FlowEntry]) {
        state.forget(gone)
        isWaiting.store(state.going > 0, ordering: .relaxed)
    }

    // MARK: What is shown

    /// The entries that have changed since `revision` and contain `search`, and the revision up to which they go.
    func entries(after revision: UInt64, search: String? = nil, limit: Int) -> (revision: UInt64, [FlowEntry]) {
        // Only copied under the lock: a search may take a while.
        let (buffer, last) = state.withLock { ($0.buffer, $0.buffer.revision) }
        let changed = buffer.entries(after: revision, limit: search == nil ? limit : .max)
        guard let search else {
            return (changed.count == limit ? changed.last?.revision ?? last : last, changed)
        }
        return (last, Array(changed.filter { $0.contains(search) }.suffix(limit)))
    }

    /// The number of the oldest entry that is still kept.
    var firstNumber: UInt64 { state.withLock { $0.buffer.first } }

    /// The last seconds.
    var points: [RateHistory.Point] {
        let second = second
        return state.withLock { $0.rates }.points(upTo: second)
    }

    /// What became of the last deliveries, the latest first.
    var deliveryNotes: [DeliveryNote] { state.withLock { $0.notes.reversed() } }

    /// The time, as it is shown.
    var now: Date { wallClock() }

    private var second: Int { Int(start.duration(to: clock.now).components.seconds) }

    private func failure(of outcome: MessageOutcome) -> FlowFailure {
        switch outcome {
        case .success: FlowFailure(code: outcome.code, isFailure: false, text: nil)
        case .failure(let error):
            FlowFailure(
                code: outcome.code,
                isFailure: true,
                text: configuration.shown("\(error)", by: configuration.redaction.failure)
            )
        }
    }
}

/// How something has ended, as it is shown.
private struct FlowFailure {
    let code: String
    let isFailure: Bool
    let text: String?
}

extension FlowEntry {
    fileprivate mutating func end(_ failure: FlowFailure, after duration: Duration) {
        self.duration = duration / .milliseconds(1)
        outcome = failure.code
        self.failure = failure.text
    }
}

extension Date {
    /// Milliseconds since 1970, as the page counts them.
    var flowTime: Double { timeIntervalSince1970 * 1_000 }
}

extension Delivery.Content {
    /// The stored name of the message; empty where it is no longer stored.
    var messageName: String {
        switch self {
        case .event(let record): record.event.name
        case .scheduled(let message): message.name
        case .missing: ""
        }
    }
}
