// SPDX-License-Identifier: Apache-2.0

import Headrace
import Shelf

@Resolvable
final class GetReaderHandler: HandlesQuery {
    private let context: EntityContext

    func handle(_ query: GetReader) async throws -> String {
        try await describe(findBook(query.book, in: context))
    }

    private func describe(_ book: Book) async throws -> String {
        guard let name = book.reader else { return "\(book.id) is in" }
        let reader = try await context.find(Reader.self, id: name)
        return "\(book.id) is lent to \(name), who has \(reader?.loans ?? 0) loan"
    }
}

@Resolvable
final class GetScreenHandler: HandlesQuery {
    private let screen: Screen

    @MainActor
    func handle(_ query: GetScreen) async throws -> [String] {
        await lines()
    }

    @MainActor
    private func lines() async -> [String] {
        screen.lines
    }
}
