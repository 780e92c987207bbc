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
        let attempts: Int

        fileprivate init(_ stored: StoredOfflineCommand) {
            id = stored.id
            name = stored.name
            version = stored.version
            json = Data(stored.json.utf8)
            origin = stored.origin
            attempts = stored.attempts
        }
    }

    let store: any ObservableStore

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
        try await context.fetch(StoredOfflineCommand.self, orderedBy: .ascending(.number)).map { PendingCommand($0) }
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
            for command in page.entities where keys.insert(command.orderKey).inserted {
                if !command.isRejected, !others.contains(command.id) { heads.append(Command(command)) }
            }
            cursor = page.next
        } while cursor != nil && heads.count < limit
        return Array(heads.prefix(limit))
    }

    private nonisolated(nonsending) func execute<Result>(
        _ body: nonisolated(nonsending) (EntityContext) async throws -> Result
    ) async throws -> Result {
        try await UnitOfWork(on: store, delegator: NoDelegator()).execute(body)
    }
}
#endif
