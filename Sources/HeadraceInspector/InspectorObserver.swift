//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
public import HeadraceCore
public import HeadraceRelay
public import HeadraceStorage

/// Tells an ``Inspector`` of messages and deliveries.
///
/// Give it to whatever takes observers: dispatchers, pipelines, clusters, stations, the registrar of event handlers and
/// the relay; to that one as a relay observer, too. It listens while somebody looks.
public struct InspectorObserver: MessageObserver, RelayObserver {
    private let recorder: FlowRecorder

    init(_ recorder: FlowRecorder) {
        self.recorder = recorder
    }

    /// Whether somebody has looked within the window.
    public var isListening: Bool { recorder.isListening }

    /// Writes down that a message begins, of which only the context is known.
    public func messageBegan(_ context: MessageContext) {
        recorder.messageBegan(context, payload: nil)
    }

    /// Writes down that a message begins, and of it what the redaction lets be shown.
    public func messageBegan<Message: Sendable>(_ message: Message, in context: MessageContext) {
        if !isListening { return }
        let configuration = recorder.configuration
        recorder.messageBegan(context, payload: configuration.shown(message, by: configuration.redaction.message))
    }

    /// Writes down how a message has ended.
    public func messageEnded(_ context: MessageContext, outcome: MessageOutcome, after duration: Duration) {
        recorder.messageEnded(context, outcome: outcome, after: duration)
    }

    /// Writes down that a stage begins.
    public func stageBegan(_ stage: MessageStage) {
        if !isListening { return }
        let configuration = recorder.configuration
        let payload = stage.event.flatMap { configuration.shown($0, by: configuration.redaction.message) }
        recorder.stageBegan(stage, payload: payload)
    }

    /// Writes down how a stage has ended.
    public func stageEnded(_ stage: MessageStage, outcome: MessageOutcome, after duration: Duration) {
        recorder.stageEnded(stage, outcome: outcome, after: duration)
    }

    /// Writes down that a delivery was made.
    public func delivered(_ delivery: Delivery) {
        recorder.noted("delivered", delivery)
    }

    /// Writes down that a delivery has failed.
    public func failed(_ delivery: Delivery, _ error: any Error, retryAt date: Date) {
        recorder.noted("failed", delivery, failure: "\(error)", retry: date)
    }

    /// Writes down that a delivery was given up.
    public func deadLettered(_ delivery: Delivery, reason: String) {
        recorder.noted("dead letter", delivery, failure: reason)
    }
}
