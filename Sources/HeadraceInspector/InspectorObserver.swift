// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HeadraceCore
public import HeadraceRelay
public import HeadraceStorage

/// Passes messages, stages, and deliveries to an ``Inspector``.
///
/// Pass it to each API that takes observers: dispatchers, pipelines, clusters, stations, and the registrar of event handlers.
/// A relay takes it twice: as an observer and as a relay observer.
public struct InspectorObserver: MessageObserver, RelayObserver {
    private let recorder: FlowRecorder

    init(_ recorder: FlowRecorder) {
        self.recorder = recorder
    }

    /// Whether the inspector records the next message: always while a page is open, and otherwise within the limits of
    /// ``InspectorConfiguration/retention``.
    public var isListening: Bool { recorder.isListening }

    /// Records the start of a message without its content.
    public func messageBegan(_ context: MessageContext) {
        recorder.messageBegan(context) { FlowRecorder.ShownContent() }
    }

    /// Records the start of a message, and its content as far as the redaction shows it.
    public func messageBegan<Message: Sendable>(_ message: Message, in context: MessageContext) {
        recorder.messageBegan(context) { recorder.content(of: message) }
    }

    /// Records the outcome of a message.
    public func messageEnded(_ context: MessageContext, outcome: MessageOutcome, after duration: Duration) {
        recorder.messageEnded(context, outcome: outcome, after: duration)
    }

    /// Records the start of a stage.
    public func stageBegan(_ stage: MessageStage) {
        recorder.stageBegan(stage)
    }

    /// Records the outcome of a stage.
    public func stageEnded(_ stage: MessageStage, outcome: MessageOutcome, after duration: Duration) {
        recorder.stageEnded(stage, outcome: outcome, after: duration)
    }

    /// Records a completed delivery.
    public func delivered(_ delivery: Delivery) {
        recorder.deliveryEnded(delivery, outcome: "delivered")
    }

    /// Records a failed attempt of a delivery.
    public func failed(_ delivery: Delivery, _ error: any Error, retryAt date: Date) {
        recorder.deliveryEnded(delivery, outcome: "failed", failure: "\(error)", retry: date)
    }

    /// Records that a delivery became a dead letter.
    public func deadLettered(_ delivery: Delivery, reason: String) {
        recorder.deliveryEnded(delivery, outcome: "dead letter", failure: reason)
    }
}
