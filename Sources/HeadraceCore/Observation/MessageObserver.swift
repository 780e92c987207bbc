// SPDX-License-Identifier: Apache-2.0

/// An object that is notified of every message, such as a log, metrics, traces, or an inspector.
///
/// Its methods are called in the task that handles the message, so they must be fast. An observer that isn't
/// listening may not be notified of messages that begin meanwhile. For every notified begin, it is also notified of
/// the end.
public protocol MessageObserver: Sendable {
    /// Whether the observer wants notifications about messages that begin now; `true` by default.
    ///
    /// It is called before each message, so it must be very fast. If no observer listens, durations aren't measured.
    var isListening: Bool { get }

    /// Called when the handling of a message begins.
    func messageBegan(_ context: MessageContext)

    /// Called when the handling of `message` begins; calls ``messageBegan(_:)`` by default.
    func messageBegan<Message: Sendable>(_ message: Message, in context: MessageContext)

    /// Called when the handling of a message has ended, `duration` after its begin.
    func messageEnded(_ context: MessageContext, outcome: MessageOutcome, after duration: Duration)

    /// Called when a stage of a message begins, in the task that runs the stage; does nothing by default.
    func stageBegan(_ stage: MessageStage)

    /// Called when a stage of a message has ended; does nothing by default.
    func stageEnded(_ stage: MessageStage, outcome: MessageOutcome, after duration: Duration)
}

extension MessageObserver {
    /// Always true.
    public var isListening: Bool { true }

    /// Calls ``messageBegan(_:)``.
    public func messageBegan<Message: Sendable>(_ message: Message, in context: MessageContext) {
        messageBegan(context)
    }

    /// Does nothing.
    public func stageBegan(_ stage: MessageStage) {}

    /// Does nothing.
    public func stageEnded(_ stage: MessageStage, outcome: MessageOutcome, after duration: Duration) {}
}

extension [any MessageObserver] {
    /// Whether at least one observer is listening.
    @usableFromInline
    package var areListening: Bool {
        for observer in self where observer.isListening { return true }
        return false
    }
}
