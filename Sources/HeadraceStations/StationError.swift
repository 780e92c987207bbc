// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// An error of a station itself, not of an effect that it runs.
///
/// Branch on ``code``, and log ``message``. Later releases may add codes.
public struct StationError: CodedError {
    /// The kind of the error, stable enough to branch on.
    public typealias Code = ErrorCode<StationError>

    /// The reason, for code that handles it.
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

    static func noJournalHeader() -> StationError {
        StationError(
            code: .malformedJournal,
            message: """
                The journal has no header with its types, followed by the state before the first action. To fix, use a \
                journal that the inspector has downloaded.
                """
        )
    }

    static func journalVersion(_ version: Int, supported: Int) -> StationError {
        StationError(
            code: .incompatibleJournal,
            message: """
                The journal has the version \(version), and this program reads only the version \(supported). To fix, replay \
                it with the version of Headrace that has written it.
                """
        )
    }

    static func journalTypes(
        _ names: (state: String, action: String), expected: (state: String, action: String)
    ) -> StationError {
        StationError(
            code: .incompatibleJournal,
            message: """
                The journal is of a station with the state '\(names.state)' and the action '\(names.action)', and this station \
                has '\(expected.state)' and '\(expected.action)'. To fix, replay it on a station with its types.
                """
        )
    }

    static func notCodable(_ state: Any.Type, _ action: Any.Type) -> StationError {
        StationError(
            code: .incompatibleJournal,
            message: """
                A journal can't be replayed on this station, because '\(String(naming: state))' or \
                '\(String(naming: action))' isn't 'Codable'. To fix, conform both types to 'Codable'.
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

extension ErrorCode<StationError> {
    /// The child of an action no longer exists.
    public static var childIsGone: Self { Self() }

    /// A reaction to a change has changed the same value again and again.
    public static var endlessChange: Self { Self() }

    /// A journal is of another station or of another version, or the types of the station aren't `Codable`.
    public static var incompatibleJournal: Self { Self() }

    /// A line of a journal isn't an action.
    public static var malformedJournal: Self { Self() }

    /// The work of an action has ended without the result that the caller awaits.
    public static var noResult: Self { Self() }
}
