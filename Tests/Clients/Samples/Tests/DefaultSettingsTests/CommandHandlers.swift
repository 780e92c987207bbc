// SPDX-License-Identifier: Apache-2.0

import Headrace
import Shelf

@Resolvable
final class LendBookHandler: HandlesCommand {
    private let members: Members
    private let unitOfWork: UnitOfWork<EntityContext>

    func handle(_ command: LendBook) async throws {
        try await check(command.reader)
        try await unitOfWork.execute { context in
            try await findBook(command.book, in: context).lend(to: command.reader)
        }
    }

    private nonisolated(nonsending) func check(_ reader: String) async throws {
        guard members.contains(reader) else { throw NotFound(id: reader) }
    }
}

nonisolated(nonsending) func findBook(_ id: String, in context: EntityContext) async throws -> Book {
    guard let book = try await context.find(Book.self, id: id) else { throw NotFound(id: id) }
    return book
}

@Resolvable
final class ClearScreenHandler: HandlesCommand {
    private let screen: Screen

    @MainActor
    func handle(_ command: ClearScreen) async throws {
        await clear()
    }

    @MainActor
    private func clear() async {
        screen.clear()
    }
}
