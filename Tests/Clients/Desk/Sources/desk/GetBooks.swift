// SPDX-License-Identifier: Apache-2.0

import Headrace

struct GetBooks: CQDQuery {
    typealias Value = [String]
}

@Resolvable
final class GetBooksHandler: HandlesQuery {
    private let context: EntityContext

    func handle(_ query: GetBooks) async throws -> [String] {
        try await context.fetch(Book.self).map { book in
            "\(book.title): \(book.reader ?? "in")"
        }
    }
}
