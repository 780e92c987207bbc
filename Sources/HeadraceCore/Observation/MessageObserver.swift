//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Is told of every message that is handled; log, metrics, traces and an inspector are observers.
///
/// It changes nothing and must not take long: it is called in the task that handles the message. Of what begins while it
/// does not listen it may hear nothing; where it was told of a beginning, it is told of the end.
public protocol MessageObserver: Sendable {
    /// Whether it wants to hear of what begins now; `true` unless implemented.
    ///
    /// It is asked before each message, so it must cost next to nothing. Where no observer listens, nobody looks at a
    /// clock.
    var isListening: Bool { get }

    /// The handling of a message begins.
    func messageBegan(_ context: MessageContext)

    /// The handling of `message` begins; unless implemented, it is ``messageBegan(_:)``.
    func messageBegan<Message: Sendable>(_ message: Message, in context: MessageContext)

    /// The handling of a message has ended, `duration` after it began.
    func messageEnded(_ context: MessageContext, outcome: MessageOutcome, after duration: Duration)

    /// A part of the handling of a message begins, in the task that does it; nothing happens unless implemented.
    func stageBegan(_ stage: MessageStage)

    /// A part of the handling of a message has ended; nothing happens unless implemented.
    func stageEnded(_ stage: MessageStage, outcome: MessageOutcome, after duration: Duration)
}

extension MessageObserver {
    /// Always.
    public var isListening: Bool { true }

    /// As ``messageBegan(_:)``.
    public func messageBegan<Message: Sendable>(_ message: Message, in context: MessageContext) {
        messageBegan(context)
    }

    /// Does nothing.
    public func stageBegan(_ stage: MessageStage) {}

    /// Does nothing.
    public func stageEnded(_ stage: MessageStage, outcome: MessageOutcome, after duration: Duration) {}
}

extension [any MessageObserver] {
    /// Whether one of them wants to hear of what begins now.
    @usableFromInline
    package var areListening: Bool {
        for observer in self where observer.isListening { return true }
        return false
    }
}
