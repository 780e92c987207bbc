// SPDX-License-Identifier: Apache-2.0

import Headrace

struct LendBook: CQDCommand, Equatable {
    let book: String
    let reader: String
}

@Resolvable
final class LendBookHandler: HandlesCommand {
    private let unitOfWork: UnitOfWork<EntityContext>

    func handle(_ command: LendBook) async throws {
        try await unitOfWork.execute { context in
            guard let book = try await context.find(Book.self, id: command.book) else {
                throw UnknownBook(id: command.book)
            }
            try book.lend(to: command.reader)
        }
    }
}

struct UnknownBook: Error {
    let id: String
}
