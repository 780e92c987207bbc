// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceStorage

/// Carries out stored commands of one type, which is erased.
struct CommandRoute: Sendable {
    let type: any DurableCommand.Type

    /// The versions that the route can read; `nil` if the migrations of the type are invalid.
    let versions: ClosedRange<Int>?

    /// Whether the operation only changes the store, so that the relay can repeat it at once after a conflict.
    let isRepeatable: Bool

    /// Throws if the content of a message doesn't decode.
    private let check: @Sendable (ScheduledMessage) throws -> Void

    private let operation: nonisolated(nonsending) @Sendable (ScheduledMessage, DeliveryRun) async throws -> Void

    init<Command: DurableCommand>(
        isRepeatable: Bool = false,
        _ operation: nonisolated(nonsending) @escaping @Sendable (Command, EntityContext) async throws -> Void
    ) {
        type = Command.self
        versions = Command.decodableVersions
        self.isRepeatable = isRepeatable
        check = { _ = try Command.decode($0.json, version: $0.version) }
        self.operation = { message, run in
            let command: Command
            do {
                command = try Command.decode(message.json, version: message.version)
            } catch {
                throw Undeliverable(
                    reason: """
                        '\(message.name)', stored with version \(message.version), does not decode as \
                        '\(String(naming: Command.self))': \(error). To fix, raise 'commandVersion' and add a migration, \
                        or make the type decode the stored JSON, and replay the dead letter.
                        """
                )
            }
            try await run.handle(command) { context in try await operation(command, context) }
        }
    }

    /// Carries out the command of `message` as the handler of `run`.
    ///
    /// - Throws: ``UnknownMessage`` if another version of the program has stored the command, and this version can't read it;
    ///   ``Undeliverable``; the error of the operation.
    nonisolated(nonsending) func carryOut(_ message: ScheduledMessage, in run: DeliveryRun) async throws {
        if versions?.contains(message.version) != true { throw UnknownMessage(versionOf: message, route: self) }
        try await operation(message, run)
    }

    /// The error of decoding `message`; `nil` if it decodes, or if another version of the program has stored it.
    func decodingFailure(of message: ScheduledMessage) -> (any Error)? {
        if versions?.contains(message.version) != true { return nil }
        do {
            try check(message)
            return nil
        } catch {
            return error
        }
    }

    /// The mistake in the declaration of the type, if there is one.
    var mistake: String? {
        if versions != nil { return nil }
        return """
            The migrations of '\(String(naming: type))' start from the versions \(type.commandMigrations.map(\.version)) and \
            must lead, version by version, to its version \(type.commandVersion). To fix, order them and fill the gaps.
            """
    }
}

extension UnknownMessage {
    fileprivate init(versionOf message: ScheduledMessage, route: CommandRoute) {
        let isNewer = message.version > route.type.commandVersion
        self.init(
            name: message.kind.key(message.name),
            version: message.version,
            reason: """
                '\(message.name)' was stored with version \(message.version); '\(String(naming: route.type))' knows \
                \(route.type.commandVersion). To fix, \
                \(isNewer
                    ? "run the version of the program that wrote it, or a later one"
                    : "add 'JSONMigration(from: \(message.version))' to its 'commandMigrations'"), and replay the dead letter.
                """
        )
    }
}

/// The handling of one delivery: a unit of work within the middleware of the relay.
struct DeliveryRun {
    let chain: MiddlewareChain
    let messageContext: MessageContext
    let delegator: any DomainEventDelegator
    let entityContext: EntityContext

    /// Runs `operation` in a unit of work, as the handler of `message`.
    nonisolated(nonsending) func handle<Message: Sendable>(
        _ message: Message,
        _ operation: nonisolated(nonsending) @escaping (EntityContext) async throws -> Void
    ) async throws {
        let work = UnitOfWork(delegator: delegator, context: entityContext)
        if chain.isEmpty { return try await work.execute(operation) }
        try await chain.run(message, in: messageContext) { _ in try await work.execute(operation) }
    }
}

/// A delivery that can't succeed in any attempt.
struct Undeliverable: Error {
    let reason: String
}
