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
        private enum Kind: String { case childIsGone, malformedJournal }

        private let kind: Kind

        /// The child of an action no longer exists.
        public static let childIsGone = Code(kind: .childIsGone)

        /// A line of a journal isn't an action.
        public static let malformedJournal = Code(kind: .malformedJournal)

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
}
