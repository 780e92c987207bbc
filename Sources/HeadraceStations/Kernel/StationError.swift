//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

/// A failure of a station itself, not of an effect that it carries out.
///
/// Branch on ``code``, log ``description``. Later releases may add codes.
public struct StationError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, stable enough to branch on.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String { case childIsGone, malformedJournal }

        private let kind: Kind

        /// An action is for a child that is not there any more.
        public static let childIsGone = Code(kind: .childIsGone)

        /// A line of a journal is no action.
        public static let malformedJournal = Code(kind: .malformedJournal)

        /// The name of the code: bounded, fit for a metric label.
        public var description: String { kind.rawValue }
    }

    /// What went wrong.
    public let code: Code

    /// What happened and how to fix it, in one sentence each.
    public let message: String

    /// The code and the message.
    public var description: String { "\(code): \(message)" }

    static func childIsGone(_ action: Any.Type, id: (any Hashable & Sendable)? = nil) -> StationError {
        let whose = id.map { " with the id '\($0)'" } ?? ""
        return StationError(
            code: .childIsGone,
            message: """
                An action '\(String(naming: action))' came for a child\(whose) that is not there; nothing was \
                reduced. To fix, stop pouring it when the child goes, or give the scope 'absent: .drop'.
                """
        )
    }

    static func malformedJournal(line: Int, _ error: any Error) -> StationError {
        StationError(
            code: .malformedJournal,
            message: """
                Line \(line) of the journal is no action of this station: \(error). To fix, replay a journal that was \
                recorded with the same type of action.
                """
        )
    }
}

extension StationError: CodedError {
    /// The name of ``code-swift.property``.
    public var codeName: String { code.description }
}
