// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
import HeadraceStorage

/// An error of a stored event or of its type.
///
/// Branch on ``code``, log ``message``. Later releases may add codes.
public struct EventError: CodedError {
    /// The kind of error, stable enough to branch on.
    public typealias Code = ErrorCode<EventError>

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

extension EventError {
    static func invalidSubscriptions(_ mistakes: [String]) -> EventError {
        EventError(.invalidSubscriptions, mistakes.joined(separator: "\n"))
    }

    static func unknown(_ name: String) -> EventError {
        EventError(
            .unknownName,
            """
            No type of event with the name '\(name)' is registered. To fix, register the type with this name, or a \
            handler of it. A type may be renamed, but its 'eventName' may not.
            """
        )
    }

    static func newer(_ type: any DurableDomainEvent.Type, version: Int) -> EventError {
        EventError(
            .newerVersion,
            """
            '\(type.eventName)' was stored with version \(version); '\(String(naming: type))' knows \
            \(type.eventVersion). To fix, run the version of the program that wrote it, or a later one.
            """
        )
    }

    static func older(_ type: any DurableDomainEvent.Type, version: Int) -> EventError {
        EventError(
            .olderVersion,
            """
            '\(type.eventName)' was stored with version \(version), from which no migration of \
            '\(String(naming: type))' starts. To fix, add 'JSONMigration(from: \(version))' to its \
            'eventMigrations'.
            """
        )
    }

    static func undecodable(_ type: any DurableDomainEvent.Type, version: Int, cause: any Error) -> EventError {
        EventError(
            .undecodable,
            """
            '\(type.eventName)', stored with version \(version), does not decode as '\(String(naming: type))': \
            \(cause). To fix, raise 'eventVersion' and add a migration, or make the type decode the stored JSON.
            """,
            cause: cause
        )
    }

    static func ambiguous(
        _ name: String,
        _ one: any DurableDomainEvent.Type,
        _ other: any DurableDomainEvent.Type
    ) -> EventError {
        EventError(
            .ambiguousName,
            """
            '\(String(naming: one))' and '\(String(naming: other))' both have the eventName '\(name)'. \
            To fix, give each type a unique name.
            """
        )
    }

    static func invalidMigrations(of type: any DurableDomainEvent.Type, versions: [Int]) -> EventError {
        EventError(
            .invalidMigrations,
            """
            The migrations of '\(String(naming: type))' start from the versions \(versions) and must lead, version by \
            version, to its version \(type.eventVersion). To fix, order them and fill the gaps.
            """
        )
    }
}

extension ErrorCode<EventError> {
    /// The name under which the event is stored belongs to no registered type.
    public static var unknownName: Self { Self() }

    /// A later version of the program has stored the event.
    public static var newerVersion: Self { Self() }

    /// No migration starts from the version under which the event is stored.
    public static var olderVersion: Self { Self() }

    /// The JSON can't be decoded as the type, or a migration has failed.
    public static var undecodable: Self { Self() }

    /// Two types have the same name.
    public static var ambiguousName: Self { Self() }

    /// The migrations of a type are out of order, or a migration is missing.
    public static var invalidMigrations: Self { Self() }

    /// Handlers declare subscriptions that contradict one another, or that can't receive deliveries.
    public static var invalidSubscriptions: Self { Self() }
}
