// SPDX-License-Identifier: Apache-2.0

#if Client
import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceStorage

/// The stored commands of a device.
struct Outbox: Sendable {
    /// A command that the relay will send.
    struct Command: Sendable {
        let id: UUID
        let name: String
        let version: Int
        let json: Data
        let origin: MessageOrigin
        let sentAt: Date
        let attempts: Int

        init(_ stored: StoredOfflineCommand) {
            id = stored.id
            name = stored.name
            version = stored.version
            json = Data(stored.json.utf8)
            origin = stored.origin
            sentAt = stored.sentAt
            attempts = stored.attempts
        }

        /// Runs `operation` as a part of the message that has sent the command, and with its principal.
        nonisolated(nonsending) func withOrigin<Result>(
            of type: Any.Type,
            _ operation: nonisolated(nonsending) () async throws -> Result
        ) async throws -> Result {
            let principal = origin.principalID.map { StoredPrincipal(principalID: $0) }
            return try await MessageContext.withPrincipal(principal) {
                guard let cause = origin.causationID else { return try await operation() }
                let context = MessageContext(
                    kind: .command, type: type, id: cause, causationID: nil, correlationID: origin.correlationID,
                    principal: principal)
                return try await MessageContext.withCurrent(context, operation)
            }
        }
    }

    /// All commands, in the order in which they were sent.
    static let allCommands = DocumentQuery(
        kind: StoredOfflineCommand.entityName,
        order: DocumentQuery.Order(index: EntityIndex.number.name, isDescending: false))

    let store: any ObservableStore

    /// Whether a unit of work of the task on the store is running.
    var isInUnitOfWork: Bool { ActiveUnitOfWork.isJoinable(by: EntityContext(reading: store)) }

    nonisolated(nonsending) func append(_ command: some OfflineCommand) async throws -> UUID {
        try await execute { context in
            let last = try await context.fetch(StoredOfflineCommand.self, orderedBy: .descending(.number), limit: 1)
            let stored = try StoredOfflineCommand(command, number: (last.first?.number ?? 0) + 1)
            context.insert(stored)
            return stored.id
        }
    }

    /// Changes the command `id`, unless it is there no more.
    nonisolated(nonsending) func change(
        _ id: UUID,
        _ body: (StoredOfflineCommand, EntityContext) -> Void
    ) async throws {
        try await execute { context in
            if let command = try await context.find(StoredOfflineCommand.self, id: id) { body(command, context) }
        }
    }

    static nonisolated(nonsending) func commands(in context: EntityContext) async throws -> [PendingCommand] {
        try await context.fetch(StoredOfflineCommand.self, orderedBy: .ascending(.number))
            .filter { !$0.isAcknowledged }.map { PendingCommand($0) }
    }

    /// Returns commands that have no command with the same order key before them, except rejected ones and `others`.
    ///
    /// - Parameters:
    ///   - others: Commands that aren't returned.
    ///   - limit: Maximum number of commands.
    /// - Returns: The commands, the oldest first.
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    nonisolated(nonsending) func heads(except others: Set<UUID>, limit: Int) async throws -> [Command] {
        let context = EntityContext(reading: store)
        var keys: Set<String> = []
        var heads: [Command] = []
        var cursor: PageCursor?
        repeat {
            let page = try await context.page(
                StoredOfflineCommand.self, orderedBy: .ascending(.number), after: cursor, limit: 100)
            for command in page.entities
            where !command.isAcknowledged && keys.insert(command.orderKey).inserted {
                if !command.isRejected, !others.contains(command.id) { heads.append(Command(command)) }
            }
            cursor = page.next
        } while cursor != nil && heads.count < limit
        return Array(heads.prefix(limit))
    }

    /// Returns the commands that the server has carried out, but that replicas of the device may lack.
    var acknowledged: Set<UUID> {
        get async throws {
            let commands = try await EntityContext(reading: store).fetch(StoredOfflineCommand.self)
            return Set(commands.filter(\.isAcknowledged).map(\.id))
        }
    }

    /// Runs `body` in a unit of work, or in the unit of work that the task has begun on the store.
    ///
    /// The relay, the prediction, the replicas, and the user change the same commands, so a conflict is no error.
    ///
    /// - Throws: The errors of `body`; ``HeadraceStorage/StoreError``; `CancellationError`.
    nonisolated(nonsending) func execute<Result>(
        _ body: nonisolated(nonsending) (EntityContext) async throws -> Result
    ) async throws -> Result {
        let isPart = isInUnitOfWork
        while true {
            do {
                return try await UnitOfWork(on: store, delegator: NoDelegator()).execute(body)
            } catch let error as StoreError where error.code == .versionConflict && !isPart {
                continue
            }
        }
    }
}
#endif
