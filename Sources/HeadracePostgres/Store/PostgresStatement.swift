// SPDX-License-Identifier: Apache-2.0

#if Postgres
public import Foundation
import HeadraceCore
public import HeadraceDomain
public import HeadraceStorage

/// A statement that raises an event, or sends, schedules, or cancels a command, in the transaction of another client of the database.
///
/// A program that writes its tables with another library executes the statement on the connection of its transaction. The message
/// takes effect if the transaction commits, and never if it rolls back. For example, with PostgresNIO:
///
/// ```text
/// let statement = try store.statement(raising: OrderPlaced(id: order.id), for: EntityReference(kind: "order", key: "\(order.id)"))
/// var bindings = PostgresBindings()
/// for argument in statement.arguments {
///     if let text = argument.text { bindings.append(text) } else { bindings.appendNull() }
/// }
/// try await connection.query(PostgresQuery(unsafeSQL: statement.sql, binds: bindings), logger: logger)
/// ```
///
/// The statement calls a function of the store: <doc:OperatingPostgres> lists the functions, for clients in other languages too, and
/// the rights that another role needs.
public struct PostgresStatement: Hashable, Sendable {
    /// One statement, with `$1` for the first argument.
    ///
    /// Its names are complete, so it doesn't depend on the search path.
    public let sql: String

    /// The arguments, each of the type `text`.
    public let arguments: [SQLArgument]

    /// The identifier of the event or the command.
    public let messageID: UUID
}

extension PostgresStore {
    /// Returns the statement that raises `event` in the transaction of another client.
    ///
    /// A relay of the store raises the event after that transaction, in a separate unit of work. Its origin is the message that the
    /// current task handles.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - source: The entity that the event belongs to, or `nil`. Events of one entity are raised in the order of their statements.
    ///     For two transactions at the same time, it is the order of the commits if both lock a row of the entity before.
    /// - Returns: The statement, which can be executed once.
    /// - Throws: The error of the event's encoding.
    public func statement<Event: DurableDomainEvent>(
        raising event: Event,
        for source: EntityReference? = nil
    ) throws -> PostgresStatement {
        try statement(
            "raise($1, $2, $5, $6, $3::bigint, $4, $7::uuid)", Event.eventName, Event.eventVersion,
            try DocumentCoding.encode(event), .version7(), [source?.kind, source?.key])
    }

    /// Returns the statement that sends `command` in the transaction of another client, as `send(_:id:)` of an `EntityContext` does.
    ///
    /// - Returns: The statement, which can be executed once.
    /// - Throws: The error of the command's encoding.
    public func statement<Command: DurableCommand>(sending command: Command) throws -> PostgresStatement {
        try statement(
            "send($1, $2, $3::bigint, $4, $5::uuid)", Command.commandName, Command.commandVersion,
            try DocumentCoding.encode(command), .version7())
    }

    /// Returns the statement that schedules `command` in the transaction of another client, as `schedule(_:at:id:)` of an
    /// `EntityContext` does.
    ///
    /// - Returns: The statement, which can be executed once.
    /// - Throws: The error of the command's encoding; `StoreError` with the code `invalidDate` if `date` is infinite or not a number.
    public func statement<Command: DurableCommand>(
        scheduling command: Command,
        at date: Date
    ) throws -> PostgresStatement {
        if !date.timeIntervalSince1970.isFinite { throw StoreError.notFinite(date) }
        // Milliseconds, because a number with a fraction would be rounded twice.
        return try statement(
            "schedule($1, $2, to_timestamp($5::bigint / 1000.0), $3::bigint, $4, $6::uuid)", Command.commandName,
            Command.commandVersion, try DocumentCoding.encode(command), .version7(), ["\(date.milliseconds)"])
    }

    /// Returns the statement that cancels the scheduled command `id` in the transaction of another client.
    ///
    /// It has no effect on a command that a relay has begun before the transaction ends.
    public func statement(cancelling id: UUID) -> PostgresStatement {
        PostgresStatement(
            sql: "SELECT \(target.quotedSchema).cancel($1::uuid)", arguments: [.text(id.uuidString)], messageID: id)
    }

    /// The arguments are the name, the document, the version, and the origin, then `others`, then the identifier.
    private func statement(
        _ call: String,
        _ name: String,
        _ version: Int,
        _ document: Data,
        _ id: UUID,
        _ others: [String?] = []
    ) throws -> PostgresStatement {
        let origin = MessageOrigin.current
        let texts =
            [
                name, String(decoding: document, as: UTF8.self), "\(version)",
                origin == .unknown ? nil : try origin.storedText,
            ] + others + [id.uuidString]
        return PostgresStatement(
            sql: "SELECT \(target.quotedSchema).\(call)", arguments: texts.map { .text($0) }, messageID: id)
    }
}
#endif
