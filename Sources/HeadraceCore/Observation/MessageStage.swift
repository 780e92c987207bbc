//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// A part of the handling of a message that observers are told of: a unit of work, an event within it, one of its handlers.
///
/// It is no message: what is sent within it is caused by the message that is being handled, observed or not. Stages lie
/// within one another, and so make a tree below their message.
public struct MessageStage: Sendable {
    /// What is done in a stage.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        private enum Word: String { case unitOfWork = "unit of work", event, handler, commit }

        private let word: Word

        /// A stretch of work on the domain that is stored whole or not at all.
        public static let unitOfWork = Kind(word: .unitOfWork)

        /// An event of a unit of work, and its handlers that run before the commit.
        public static let event = Kind(word: .event)

        /// A handler of an event.
        public static let handler = Kind(word: .handler)

        /// Changes and events are being stored.
        public static let commit = Kind(word: .commit)

        /// The words for the kind: bounded, fit for a metric label.
        public var description: String { word.rawValue }
    }

    /// Tells the stage from all others of this process.
    public let id: UInt64

    /// What is done in it.
    public let kind: Kind

    /// The type of the event or of the handler; `nil` for all else.
    public let type: Any.Type?

    /// The event, where it is one.
    public let event: (any Sendable)?

    /// The message that is being handled; `nil` where the work began by itself.
    public let message: MessageContext?

    /// The stage of the same message within which this one lies, or `nil` where it lies in none.
    public let parentID: UInt64?

    /// The innermost stage of this task, or `nil` where nobody listened when it began.
    ///
    /// While a message is handled that was sent within a stage, it is that stage, until the message has one of its own.
    @TaskLocal public static var current: MessageStage?

    private static let lastID = Atomic<UInt64>(0)

    /// Describes a stage that begins within what this task does.
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

    /// Runs `operation` as a stage of the message that this task handles, and tells `observers`.
    ///
    /// Where none of them listens, it is `operation` and nothing else.
    ///
    /// - Throws: What `operation` throws.
    package static nonisolated(nonsending) func run<Result>(
        _ kind: Kind,
        type: Any.Type? = nil,
        event: (any Sendable)? = nil,
        observers: [any MessageObserver],
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        guard observers.areListening else { return try await operation() }
        let stage = MessageStage(kind, type: type, event: event)
        let start = ContinuousClock.now
        for observer in observers { observer.stageBegan(stage) }
        do {
            let result = try await $current.binding(stage, operation)
            let duration = start.duration(to: .now)
            for observer in observers { observer.stageEnded(stage, outcome: .success, after: duration) }
            return result
        } catch {
            let duration = start.duration(to: .now)
            for observer in observers { observer.stageEnded(stage, outcome: .failure(error), after: duration) }
            throw error
        }
    }
}
