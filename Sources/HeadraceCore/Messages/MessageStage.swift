// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A stage in the handling of a message that observers are notified of: a unit of work, an event, an event handler,
/// or a commit.
///
/// A stage isn't a message. Messages that are sent within a stage are caused by the message of the stage. Stages can
/// be nested, so they form a tree below their message.
public struct MessageStage: Sendable {
    /// The kind of a stage.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        private enum Word: String { case unitOfWork = "unit of work", event, handler, commit }

        private let word: Word

        /// A unit of work, stored completely or not at all.
        public static let unitOfWork = Kind(word: .unitOfWork)

        /// An event of a unit of work, with its pre-commit handlers.
        public static let event = Kind(word: .event)

        /// An event handler.
        public static let handler = Kind(word: .handler)

        /// The commit of changes and events to the store.
        public static let commit = Kind(word: .commit)

        /// Name of the kind, suitable as a metric label.
        public var description: String { word.rawValue }
    }

    /// Unique ID of the stage in the process.
    public let id: UInt64

    /// Kind of the stage.
    public let kind: Kind

    /// Type of the event or the handler; `nil` for other kinds.
    public let type: Any.Type?

    /// The event; `nil` for other kinds than events.
    public let event: (any Sendable)?

    /// The message that the task handles; `nil` if the work doesn't belong to a message.
    public let message: MessageContext?

    /// ID of the enclosing stage of the same message; `nil` if there is none.
    public let parentID: UInt64?

    /// The innermost stage of the task; `nil` if no observer was listening at its begin.
    ///
    /// The handler of a message that was sent within a stage inherits this stage, until it begins a stage for its
    /// message.
    @TaskLocal public static var current: MessageStage?

    private static let lastID = Atomic<UInt64>(0)

    /// Creates a stage within the current message and stage of the task.
    package init(_ kind: Kind, type: Any.Type? = nil, event: (any Sendable)? = nil) {
        let message = MessageContext.current
        let outer = Self.current
        id = Self.lastID.add(1, ordering: .relaxed).newValue
        self.kind = kind
        self.type = type
        self.event = event
        self.message = message
        parentID = outer.flatMap { Self.areSame($0.message, message) ? $0.id : nil }
    }

    private static func areSame(_ left: MessageContext?, _ right: MessageContext?) -> Bool {
        switch (left, right) {
        case (nil, nil): true
        case (let left?, let right?): left.isSame(as: right)
        default: false
        }
    }

    /// Runs `operation` as a stage of the message that the task handles, and notifies `observers`.
    ///
    /// If no observer listens, it only runs `operation`.
    ///
    /// - Throws: The errors of `operation`.
    @inlinable @inline(__always)
    package static nonisolated(nonsending) func run<Result>(
        _ kind: Kind,
        type: Any.Type? = nil,
        event: (any Sendable)? = nil,
        observers: [any MessageObserver],
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        if !observers.areListening { return try await operation() }
        return try await observed(kind, type: type, event: event, observers: observers, operation)
    }

    @usableFromInline
    static nonisolated(nonsending) func observed<Result>(
        _ kind: Kind,
        type: Any.Type?,
        event: (any Sendable)?,
        observers: [any MessageObserver],
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        let stage = MessageStage(kind, type: type, event: event)
        let clock = CurrentClock()
        let start = clock.now
        for observer in observers { observer.stageBegan(stage) }
        do {
            let result = try await $current.binding(stage, operation)
            let duration = start.duration(to: clock.now)
            for observer in observers { observer.stageEnded(stage, outcome: .success, after: duration) }
            return result
        } catch {
            let duration = start.duration(to: clock.now)
            for observer in observers { observer.stageEnded(stage, outcome: .failure(error), after: duration) }
            throw error
        }
    }
}

/// The outcome of a message.
public enum MessageOutcome: Sendable {
    /// The message was handled.
    case success

    /// The message was refused, or its handler failed, with this error; including cancellation.
    case failure(any Error)
}

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
