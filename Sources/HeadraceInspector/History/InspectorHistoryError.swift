// SPDX-License-Identifier: Apache-2.0

import Foundation
public import HeadraceCore

/// An error of the folder of an ``InspectorHistory``.
///
/// Branch on ``code``, log ``message``. Minor releases can add codes.
public struct InspectorHistoryError: CodedError {
    /// The reason of the error, stable enough to branch on.
    public typealias Code = ErrorCode<InspectorHistoryError>

    /// The reason of the error.
    public let code: Code

    /// A description of the error and its fix.
    public let message: String

    /// The error of the operating system, if there is one.
    public let cause: (any Error)?

    static func unavailable(_ path: String, _ cause: any Error) -> InspectorHistoryError {
        InspectorHistoryError(
            code: .unavailable,
            message: """
                The history of the inspector can't use '\(path)': \(cause.localizedDescription). To fix, create the folder, \
                and let this user read and write it and its files.
                """,
            cause: cause
        )
    }

    static func inUse(_ path: String) -> InspectorHistoryError {
        InspectorHistoryError(
            code: .inUse,
            message: """
                The folder '\(path)' has the history of another running inspector. To fix, use another folder for each \
                inspector.
                """,
            cause: nil
        )
    }

    static func damaged(_ path: String) -> InspectorHistoryError {
        InspectorHistoryError(
            code: .damaged,
            message: """
                The file '\(path)' isn't a part of a history of an inspector, and was kept. To fix, remove it, or use another \
                folder.
                """,
            cause: nil
        )
    }

    static func unsupportedVersion(_ version: Int, _ path: String) -> InspectorHistoryError {
        InspectorHistoryError(
            code: .unsupportedVersion,
            message: """
                The file '\(path)' has a history of the version \(version), and this program reads only the version \
                \(HistoryHeader.currentVersion). To fix, run the program that has written it, remove it, or use another folder.
                """,
            cause: nil
        )
    }

    static let alreadyRun = InspectorHistoryError(
        code: .alreadyRun,
        message: "The history is running or has ended. To fix, run it once, and create another one for the next run.",
        cause: nil
    )
}

extension ErrorCode<InspectorHistoryError> {
    /// The folder or a file in it can't be read or written.
    public static var unavailable: Self { Self() }

    /// Another process, or another history of this process, uses the folder.
    public static var inUse: Self { Self() }

    /// A file in the folder isn't a part of a history.
    ///
    /// It was kept as it is.
    public static var damaged: Self { Self() }

    /// Another version of Headrace has written the files.
    ///
    /// They were kept as they are.
    public static var unsupportedVersion: Self { Self() }

    /// The history is running or has ended.
    public static var alreadyRun: Self { Self() }
}
