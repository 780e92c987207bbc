//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

/// An error of a station itself, not of an effect that it runs.
///
/// Branch on ``code``, and log ``message``. Later releases may add codes.
public struct StationError: CodedError {
    /// The kind of the error, stable enough to branch on.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String { case childIsGone, endlessChange, malformedJournal, noResult }

        private let kind: Kind

        /// The child of an action no longer exists.
        public static let childIsGone = Code(kind: .childIsGone)

        /// A reaction to a change has changed the same value again and again.
        public static let endlessChange = Code(kind: .endlessChange)

        /// A line of a journal isn't an action.
        public static let malformedJournal = Code(kind: .malformedJournal)

        /// The work of an action has ended without the result that the caller awaits.
        public static let noResult = Code(kind: .noResult)

        /// The name of the code.
        ///
        /// The set of names is bounded, so it's suitable for a metric label.
        public var description: String { kind.rawValue }
    }

    /// The kind of the error.
    public let code: Code

    /// The error and its fix, in one sentence each.
    public let message: String

    static func childIsGone(_ action: Any.Type, id: (any Hashable & Sendable)? = nil) -> StationError {
        let whose = id.map { " with the id '\($0)'" } ?? ""
        return StationError(
            code: .childIsGone,
            message: """
                An action '\(String(naming: action))' was poured for a child\(whose) that doesn't exist; it was not \
                reduced. To fix, don't pour it after the child was removed, or pass 'absent: .drop' to the scope.
                """
        )
    }

    static func malformedJournal(line: Int, _ error: any Error) -> StationError {
        StationError(
            code: .malformedJournal,
            message: """
                Line \(line) of the journal isn't an action of this station: \(error). To fix, replay a journal that \
                was recorded with the same type of action.
                """
        )
    }

    static func endlessChange(of value: Any.Type, in state: Any.Type, limit: Int) -> StationError {
        StationError(
            code: .endlessChange,
            message: """
                A reaction to a change of '\(String(naming: value))' in '\(String(naming: state))' has changed that value \
                \(limit) times for one action. To fix, let the reaction of 'onChange' leave a value that it has set as it is.
                """
        )
    }

    static func noResult(of action: Any.Type, isRunning: Bool = false) -> StationError {
        StationError(
            code: .noResult,
            message: """
                The work of an action '\(String(naming: action))' \(isRunning ? "is running, and has not poured" : "has ended without") \
                the awaited result. To fix, pour the result in an effect of the action in each case, also for a failure.
                """
        )
    }
}
