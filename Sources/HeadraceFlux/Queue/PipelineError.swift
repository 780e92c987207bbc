//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

/// Tells why an action was not executed, or why a wait would never end.
///
/// Branch on ``code-swift.property``, log ``description``. Later releases may add codes.
public struct PipelineError: Error, Sendable, CustomStringConvertible {
    /// Why it was not executed, stable enough to branch on.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String { case full, dropped, shutDown, released, deadlock }

        private let kind: Kind

        /// As many actions wait as may, and nobody awaits this one.
        public static let full = Code(kind: .full)

        /// Another action was taken instead.
        public static let dropped = Code(kind: .dropped)

        /// The dispatcher was shut down.
        public static let shutDown = Code(kind: .shutDown)

        /// The dispatcher was released while it was paused.
        public static let released = Code(kind: .released)

        /// Actions would wait for each other, or an action for itself, for ever.
        public static let deadlock = Code(kind: .deadlock)

        /// The name of the code: bounded, fit for a metric label.
        public var description: String { kind.rawValue }
    }

    /// Why it was not executed.
    public let code: Code

    /// What happened and how to fix it, in one sentence each.
    public let message: String

    /// The code and the message.
    public var description: String { "\(code): \(message)" }

    static func full(limit: Int) -> PipelineError {
        PipelineError(
            code: .full,
            message: """
                \(limit) actions wait, as many as may; one that nobody awaits was not taken. To fix, await it, raise the \
                limit of the pipeline, or let it drop actions.
                """
        )
    }

    static func dropped(limit: Int) -> PipelineError {
        PipelineError(
            code: .dropped,
            message: """
                \(limit) actions waited, as many as may, and another was taken instead. To fix, dispatch fewer, or raise \
                the limit of the pipeline.
                """
        )
    }

    static let shutDown = PipelineError(
        code: .shutDown,
        message: "The dispatcher was shut down before the action's turn. To fix, dispatch it before, or elsewhere."
    )

    static let released = PipelineError(
        code: .released,
        message: """
            The dispatcher was released while it was paused, and the action waited. To fix, activate it and drain it \
            before, or shut it down.
            """
    )

    /// - Parameters:
    ///   - circle: The waits that would form a circle, each as "A waits for B".
    ///   - hasDrain: Whether one of them waits for all actions of a dispatcher.
    static func deadlock(_ circle: [String], hasDrain: Bool) -> PipelineError {
        let remedy =
            hasDrain
            ? "drain or shut down a dispatcher after the action has ended."
            : "queue one of these actions instead of awaiting it, or await it after the other action has ended."
        return PipelineError(
            code: .deadlock,
            message:
                "Waiting would never end: \(circle.joined(separator: ", and ")). To fix, \(remedy)"
        )
    }
}

extension PipelineError: CodedError {
    /// The name of ``code-swift.property``.
    public var codeName: String { code.description }
}
