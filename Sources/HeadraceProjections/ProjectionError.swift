// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
import HeadraceStorage

/// An error of a projection: it can't be read, built, or declared.
///
/// Branch on ``code``, log ``message``. Later releases may add codes.
public struct ProjectionError: CodedError {
    /// The kind of error, stable enough to branch on.
    public typealias Code = ErrorCode<ProjectionError>

    /// The kind of error.
    public let code: Code

    /// The error and how to fix it, in one sentence each.
    public let message: String

    /// The underlying error, if there is one.
    public let cause: (any Error)?

    private init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}

extension ProjectionError {
    static let alreadyRunning = ProjectionError(
        .alreadyRunning,
        "The projections are running or have run. To fix, create another 'Projections' for another run."
    )

    static let ended = ProjectionError(
        .ended,
        "The projections have ended, so they apply no events. To fix, wait while 'run()' runs."
    )

    static func building(_ name: String, version: Int, active: Int?) -> ProjectionError {
        let other =
            active.map { "Version \($0) is active, whose rows this program can't read." } ?? "No version is active."
        return ProjectionError(
            .building,
            """
            Version \(version) of the projection '\(name)' has not applied the whole log yet. \(other) To fix, try again later, \
            run 'Projections' in a process that declares this version, or declare 'readableFrom:'.
            """
        )
    }

    static func behind(_ name: String, position: Int64, end: Int64) -> ProjectionError {
        ProjectionError(
            .behind,
            """
            The projection '\(name)' has applied the log up to position \(position), but not yet up to position \(end). To fix, try \
            again later, allow more time, or look in 'Projections.status()' for the reason if it has stopped.
            """
        )
    }

    static func missing(_ version: ProjectionVersion, after: Int64, before: Int64) -> ProjectionError {
        ProjectionError(
            .eventsMissing,
            """
            Version \(version.number) of the projection '\(version.name)' needs all events of the log, but those between the \
            positions \(after) and \(before) are missing, because they were pruned. To fix, restore them from a backup, or \
            declare the projection with 'missingEvents: .skipped' if its rows don't depend on them.
            """
        )
    }

    static func stopped(_ version: ProjectionVersion, _ stop: ProjectionStop) -> ProjectionError {
        ProjectionError(
            .eventNotApplied,
            """
            Version \(version.number) of the projection '\(version.name)' can't apply '\(stop.record.event.name)' at position \
            \(stop.record.position): \(stop.cause) To fix, run a version of the program that can apply the event.
            """,
            cause: stop.cause
        )
    }

    static func undecodable(_ row: Any.Type, in version: ProjectionVersion, cause: any Error) -> ProjectionError {
        ProjectionError(
            .undecodableRow,
            """
            A row of version \(version.number) of the projection '\(version.name)' does not decode as \
            '\(String(naming: row))': \(cause) To fix, raise the version of the projection whenever its row changes, and \
            declare 'readableFrom:' only for versions whose rows decode.
            """,
            cause: cause
        )
    }

    static func unknownIndex(_ name: String, of row: Any.Type) -> ProjectionError {
        ProjectionError(
            .unknownIndex,
            "'\(String(naming: row))' has no index '\(name)'. To fix, add it to the 'indexes' of the row."
        )
    }

    static func invalidDeclarations(_ mistakes: [String]) -> ProjectionError {
        ProjectionError(.invalidDeclarations, mistakes.joined(separator: "\n"))
    }
}

extension ErrorCode<ProjectionError> {
    /// No version is ready that the program can read.
    public static var building: Self { Self() }

    /// The rows didn't include all events in the time that the caller allowed.
    public static var behind: Self { Self() }

    /// The log no longer has all events that the rows depend on.
    public static var eventsMissing: Self { Self() }

    /// An event can't be decoded, or the function that applies it has thrown an error.
    public static var eventNotApplied: Self { Self() }

    /// A stored row can't be decoded as its type.
    public static var undecodableRow: Self { Self() }

    /// The row doesn't declare the index.
    public static var unknownIndex: Self { Self() }

    /// The declarations contradict one another, or the store can't keep projections.
    public static var invalidDeclarations: Self { Self() }

    /// The projections are running or have run.
    public static var alreadyRunning: Self { Self() }

    /// The projections have ended, so they apply no events any longer.
    public static var ended: Self { Self() }
}
