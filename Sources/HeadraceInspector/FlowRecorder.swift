// SPDX-License-Identifier: Apache-2.0

import DequeModule
import Foundation
import HeadraceCore
import HeadraceRelay
import HeadraceStorage
import Synchronization

/// Records messages, stages, and deliveries.
///
/// A request to the inspector activates the recorder. If the window passes without another request, the next message
/// deactivates it. An inactive recorder records as much as its ``RecordingAllowance`` permits. If it has none, it costs one
/// read of an atomic flag for each message.
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
        var failure: String?
        var hidden: HiddenContent = []
    }

    /// The content of a message, and whether the redaction has hidden it.
    struct ShownContent {
        var text: String?
        var hidden: HiddenContent = []
    }

    /// The reaction of a process to a message, and whether the redaction has hidden its key.
    private struct Remark {
        let text: String
        let hidden: HiddenContent
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
                if entry.isOpen { openCount -= 1 }
                if let key = messageKeys.removeValue(forKey: entry.number), messages[key] == entry.number {
                    messages[key] = nil
                }
                if let stage = stageIDs.removeValue(forKey: entry.number) { stages[stage] = nil }
            }
        }
    }

    private static let deliveryLimit = 200

    /// Number of entries that ``changes(after:)`` reads at a time.
    private static let scanLength = 256

    let configuration: InspectorConfiguration
    let clock: any TimeSource
    private let wallClock: @Sendable () -> Date
    private let start: ContinuousClock.Instant
    private let isActive = Atomic<Bool>(false)

    /// Limits the recording while the recorder is inactive.
    private let allowance: RecordingAllowance

    /// Whether an entry is in progress.
    ///
    /// Its end is recorded even if the recorder is inactive by then.
    private let hasOpenEntries = Atomic<Bool>(false)
    private let state: Mutex<State>

    /// The state of the history on the disk; `nil` if there is none.
    private let history: HistoryStatus?

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - configuration: Limits on the memory, and the rules for showing content.
    ///   - restored: Entries of earlier runs, with numbers from 1.
    ///   - history: The state of the history on the disk.
    ///   - clock: Measures the time since the last request.
    ///   - wallClock: Returns the time for display.
    init(
        configuration: InspectorConfiguration,
        restored: [FlowEntry] = [],
        history: HistoryStatus? = nil,
        clock: any TimeSource,
        wallClock: @escaping @Sendable () -> Date
    ) {
        self.configuration = configuration
        self.clock = clock
        self.wallClock = wallClock
        start = clock.now
        allowance = RecordingAllowance(capacity: configuration.capacity, period: configuration.retention, clock: clock)
        self.history = history
        var buffer = FlowBuffer(capacity: configuration.capacity, byteLimit: configuration.byteLimit)
        for entry in restored { _ = buffer.append(entry) }
        state = Mutex(State(buffer: buffer, lastRequest: start))
    }

    // MARK: Activity

    /// Whether the recorder is active.
    ///
    /// It can still be `true` after the window, until the next message.
    var isWatched: Bool { isActive.load(ordering: .relaxed) }

    /// Whether the next message may be recorded.
    var isListening: Bool { isWatched || allowance.isOpen }

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
        if !isWatched { return false }
        let now = clock.now
        return state.withLock { state in
            if state.lastRequest.duration(to: now) <= configuration.window { return true }
            isActive.store(false, ordering: .relaxed)
            return false
        }
    }

    // MARK: Recording

    /// Returns the content of `message` as far as the redaction shows it.
    func content<Message: Sendable>(of message: Message) -> ShownContent {
        let text = configuration.limited(configuration.redaction.text(of: message))
        return ShownContent(text: text, hidden: text == nil ? .message : [])
    }

    private func admitsEntry() -> Bool { remainsActive() || allowance.take() }

    func messageBegan(_ context: MessageContext, content: () -> ShownContent) {
        if !admitsEntry() { return }
        let content = content()
        let delivery = DeliveryContext.current.flatMap { $0.messageID == context.id ? $0 : nil }
        let principal = configuration.limited(context.principal.flatMap(configuration.redaction.text(of:)))
        var hidden = content.hidden
        if principal == nil, context.principal != nil { hidden.insert(.identifier) }
        let entry = FlowEntry(
            id: context.id,
            kind: context.kind.description,
            type: context.name,
            cause: context.causationID,
            correlation: context.correlationID,
            principal: principal,
            attempt: delivery?.attempt,
            began: wallClock().millisecondsSince1970,
            payload: content.text,
            note: delivery.map { "to \($0.subscription), attempt \($0.attempt)" + ($0.isReplay ? ", replay" : "") },
            hidden: hidden.isEmpty ? nil : hidden
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
        let isWatched = isWatched
        state.withLock { state in
            let number = state.messages[key]
            if isWatched || number != nil {
                state.rates.add(
                    kind: context.kind.description,
                    duration: duration,
                    isFailure: outcome.isFailure,
                    second: second
                )
            }
            let delivery = number.flatMap { state.buffer[$0]?.note }
            let note = remark.map { remark in delivery.map { "\($0), \(remark.text)" } ?? remark.text }
            end(number, outcome, note: note ?? result, hidden: remark?.hidden ?? [], after: duration, in: &state)
        }
    }

    /// The reaction of a process to the message `id`, if this task handles a delivery of the message.
    private func remark(about id: UUID?) -> Remark? {
        guard let delivery = DeliveryContext.current, delivery.messageID == id, let remark = delivery.remark.content
        else { return nil }
        let key = configuration.limited(configuration.redaction.text(ofKey: remark.key, of: remark.process))
        return Remark(
            text: "process \(remark.process)\(key.map { " \($0)" } ?? ""): \(remark.text)",
            hidden: key == nil ? .identifier : []
        )
    }

    func stageBegan(_ stage: MessageStage) {
        if !admitsEntry() { return }
        let content = stage.event.map { self.content(of: $0) } ?? ShownContent()
        let entry = FlowEntry(
            kind: stage.kind.description,
            type: stage.type.map { String(naming: $0) } ?? "",
            cause: stage.message?.id,
            correlation: stage.message?.correlationID,
            began: wallClock().millisecondsSince1970,
            payload: content.text,
            hidden: content.hidden.isEmpty ? nil : content.hidden
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
            let number = state.stages[stage.id]
            end(number, outcome, note: remark?.text, hidden: remark?.hidden ?? [], after: duration, in: &state)
        }
    }

    func deliveryEnded(_ delivery: Delivery, outcome: String, failure: String? = nil, retry: Date? = nil) {
        if !remainsActive(), !allowance.isOn { return }
        let view = DeliveryView(
            date: wallClock().millisecondsSince1970,
            outcome: outcome,
            subscription: delivery.subscription,
            message: delivery.content.messageName,
            attempt: delivery.attempt,
            failure: failure.flatMap { configuration.shownFailure($0) },
            retry: retry?.millisecondsSince1970
        )
        state.withLock { state in
            if state.deliveries.count == Self.deliveryLimit { state.deliveries.removeFirst() }
            state.deliveries.append(view)
        }
    }

    private var recordsEnds: Bool { isWatched || hasOpenEntries.load(ordering: .relaxed) }

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
        hidden: HiddenContent = [],
        after duration: Duration,
        in state: inout State
    ) {
        guard let number else { return }
        if state.buffer[number]?.isOpen ?? true { state.openCount -= 1 }
        let removed = state.buffer.update(number) { entry in
            entry.duration = duration / .milliseconds(1)
            entry.outcome = outcome.code
            entry.failure = outcome.failure
            if let note { entry.note = note }
            let hidden = outcome.hidden.union(hidden).union(entry.hidden ?? [])
            entry.hidden = hidden.isEmpty ? nil : hidden
        }
        forget(removed, in: &state)
    }

    private func forget(_ removed: [FlowEntry], in state: inout State) {
        state.forget(removed)
        hasOpenEntries.store(state.openCount > 0, ordering: .relaxed)
    }

    private func shown(_ outcome: MessageOutcome) -> ShownOutcome {
        switch outcome {
        case .success:
            return ShownOutcome(code: outcome.code, isFailure: false)
        case .failure(let error):
            let text = configuration.limited(configuration.redaction.text(of: error))
            return ShownOutcome(
                code: outcome.code, isFailure: true, failure: text, hidden: text == nil ? .failure : [])
        }
    }

    // MARK: Views

    /// Returns at most `limit` entries that changed after `revision`.
    ///
    /// If there are more changes, the next call continues after the last one of these.
    func flow(after revision: UInt64, limit: Int) -> FlowView {
        state.withLock { state in
            let changed = state.buffer.entries(after: revision, limit: limit)
            let isComplete = changed.count < limit
            let end = isComplete ? state.buffer.revision : changed.last?.revision ?? state.buffer.revision
            return view(changed, upTo: end, of: state.buffer)
        }
    }

    /// Returns the latest `limit` entries that match `filter` and changed after `revision`, in the order of their last change.
    func flow(after revision: UInt64, matching filter: FlowFilter, limit: Int) -> FlowView {
        let buffer = state.withLock { $0.buffer }
        let found = buffer.entries(after: revision, limit: .max).filter(filter.matches)
        return view(found.suffix(limit), upTo: buffer.revision, of: buffer)
    }

    /// Returns the entries that changed after `revision`, in the order of their numbers.
    ///
    /// It locks the flow for a few entries at a time, so that no message waits for it.
    func changes(after revision: UInt64) -> FlowChanges {
        let (first, last, end) = state.withLock { ($0.buffer.first, $0.buffer.last, $0.buffer.revision) }
        var entries: [FlowEntry] = []
        if end > revision, first <= last {
            for start in stride(from: first, through: last, by: Self.scanLength) {
                let numbers = start...min(last, start + UInt64(Self.scanLength) - 1)
                entries += state.withLock { $0.buffer.entries(numbers, after: revision) }
            }
        }
        return FlowChanges(revision: end, last: last, entries: entries)
    }

    /// Approximate number of messages and stages that weren't recorded, because too many came while no page was open.
    var refusalCount: Int { allowance.refusalCount }

    private func view(_ entries: some Collection<FlowEntry>, upTo revision: UInt64, of buffer: FlowBuffer) -> FlowView {
        FlowView(
            revision: revision,
            first: buffer.first,
            skipped: refusalCount,
            entries: Array(entries),
            hints: HiddenContent.hints(of: entries.compactMap(\.hidden)),
            history: history?.view
        )
    }

    /// Throughput and latency of the last seconds.
    var rates: RatesView {
        let second = second
        let rates = state.withLock { $0.rates }
        return RatesView(points: rates.points(upTo: second), skipped: refusalCount)
    }

    /// Outcomes of the last deliveries, the latest first.
    var deliveries: [DeliveryView] { state.withLock { $0.deliveries.reversed() } }

    /// The current time for display.
    var now: Date { wallClock() }

    private var second: Int { Int(start.duration(to: clock.now).components.seconds) }
}
