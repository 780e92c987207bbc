// SPDX-License-Identifier: Apache-2.0

import Headrace
import Shelf

#if hasFeature(NonisolatedNonsendingByDefault)
#error("These targets have the default settings.")
#endif

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

nonisolated(nonsending) func findReader(_ name: String, in context: EntityContext) async throws -> Reader {
    guard let reader = try await context.find(Reader.self, id: name) else { throw NotFound(id: name) }
    return reader
}

nonisolated(nonsending) func describe(_ book: Book, in context: EntityContext) async throws -> String {
    guard let name = book.reader else { return "\(book.id) is in" }
    let reader = try await context.find(Reader.self, id: name)
    return "\(book.id) is lent to \(name), who has \(reader?.loans ?? 0) loan"
}
