// SPDX-License-Identifier: Apache-2.0

import HeadraceResolution

/// Handles one type of command.
///
/// Each dispatch makes a new handler in the scope of the dispatcher, so a handler isn't shared and needs no
/// synchronization:
///
/// ```swift
/// @Resolvable
/// final class AddSomethingCommandHandler: HandlesCommand {
///     private let api: any Api
///
///     func handle(_ command: AddSomethingCommand) async throws {
///         try await api.post("/something", command.name)
///     }
/// }
/// ```
///
/// If the command declares a ``CQDCommand/Output``, the method returns it.
public protocol HandlesCommand<Command>: SendableMetatype {
    /// The type of command that the handler takes.
    associatedtype Command: CQDCommand

    /// Handles `command` and returns its result, if it has one, in the task and on the actor of the caller that dispatched it.
    ///
    /// To run it on the main actor, write `@MainActor func handle`, or `@MainActor` before a `@Resolvable` class. For other
    /// classes, `@MainActor` before the class has no effect here.
    ///
    /// - Throws: Any error. It reaches the dispatching caller unwrapped.
    nonisolated(nonsending) func handle(_ command: Command) async throws -> Command.Output
}

/// Handles one type of query.
///
/// It is made and called like a ``HandlesCommand``, but it only reads.
public protocol HandlesQuery<Query>: SendableMetatype {
    /// The type of query that the handler takes.
    associatedtype Query: CQDQuery

    /// Returns the value for `query`, in the task and on the actor of the caller that dispatched it.
    ///
    /// - Throws: Any error. It reaches the dispatching caller unwrapped.
    nonisolated(nonsending) func handle(_ query: Query) async throws -> Query.Value
}

/// Handles one type of stream query.
///
/// It is made like a ``HandlesCommand``, and lives as long as the stream that it returns.
///
/// ```swift
/// @Resolvable
/// final class ListEntriesQueryHandler: HandlesStreamQuery {
///     private let books: any Books
///
///     func handle(_ query: ListEntriesQuery) async throws -> some AsyncSequence<Entry, any Error> {
///         let cursor = try books.openCursor(account: query.account)
///         return QueryStream { try await cursor.next() }
///     }
/// }
/// ```
public protocol HandlesStreamQuery<Query>: SendableMetatype {
    /// The type of query that the handler takes.
    associatedtype Query: CQDStreamQuery

    /// The sequence that the handler returns.
    associatedtype Values: AsyncSequence where Values.Element == Query.Element

    /// Returns the sequence for `query`, in the task and on the actor of the caller that dispatched it.
    ///
    /// The sequence is iterated only on demand. It is released when the iteration ends, when the caller stops iterating, or
    /// when the task of the caller is cancelled, and should close its resources then. See ``QueryStream``.
    ///
    /// - Throws: Any error. It reaches the dispatching caller unwrapped, like an error of the sequence.
    nonisolated(nonsending) func handle(_ query: Query) async throws -> Values
}

extension HandlesStreamQuery {
    /// Handles `query`, and returns a stream that keeps the handler and its scope alive.
    nonisolated(nonsending) func start(
        _ query: Query,
        in scope: any DependencyResolutionScope
    ) async throws -> QueryStream<Query.Element> {
        QueryStream(try await handle(query), keeping: (self, scope))
    }
}

/// Handles one type of notification, together with any number of other handlers.
///
/// ```swift
/// final class TellGuest: HandlesNotification, Resolvable {
///     private let mailer: any Mailer
///
///     init(scope: any DependencyResolutionScope) {
///         mailer = scope.resolve()
///     }
///
///     func handle(_ notification: SeatWasReserved) async throws {
///         try await mailer.confirm(notification.seat)
///     }
/// }
/// ```
///
/// Each publication makes a new handler of each type, so a handler isn't shared and needs no synchronization.
public protocol HandlesNotification<Notification>: SendableMetatype {
    /// The type of notification that the handler takes.
    associatedtype Notification: CQDNotification

    /// Handles `notification`, in the task and on the actor of the caller unless the handlers run concurrently.
    ///
    /// To run it on the main actor in all cases, write `@MainActor func handle`.
    ///
    /// - Throws: Any error; ``PublicationPolicy`` states the consequence.
    nonisolated(nonsending) func handle(_ notification: Notification) async throws
}

// Unavailable declarations: the compiler considers them for code that has no other meaning, and prints their messages.

extension HandlesCommand {
    /// Explains which result a handler returns.
    @available(
        *, unavailable,
        message: """
            No method 'handle(_:)' takes the command and returns its 'Output'. To fix, return nothing, or write \
            'typealias Output = …' in the command.
            """
    )
    @_documentation(visibility: internal)
    public nonisolated(nonsending) func handle(_ command: Command) async throws -> Command.Output {
        try await handle(command)  // The requirement; this code never runs.
    }
}

extension HandlesQuery {
    /// Explains which value a handler returns.
    @available(
        *, unavailable,
        message: """
            No method 'handle(_:)' takes the query and returns its 'Value'. To fix, return a value of the type that \
            the query declares by 'typealias Value'.
            """
    )
    @_documentation(visibility: internal)
    public nonisolated(nonsending) func handle(_ query: Query) async throws -> Query.Value {
        try await handle(query)  // The requirement; this code never runs.
    }
}
