// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// An error of ``Schedules``.
///
/// Branch on ``code``, log ``message``. Later releases may add codes.
public struct ScheduleError: CodedError {
    /// The kind of error, stable enough to branch on.
    public typealias Code = ErrorCode<ScheduleError>

    /// The kind of error.
    public let code: Code

    /// The error and how to fix it, in one sentence each.
    public let message: String

    static func unknown(_ name: String) -> ScheduleError {
        ScheduleError(
            code: .unknownSchedule,
            message: """
                The store has no schedule '\(name)'. To fix, use a name that 'Schedules.all()' returns, or run a relay that \
                declares the schedule.
                """
        )
    }
}

extension ErrorCode<ScheduleError> {
    /// The store has no schedule of that name.
    public static var unknownSchedule: Self { Self() }
}
