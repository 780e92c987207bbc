// SPDX-License-Identifier: Apache-2.0

import Headrace
import Shelf

@Resolvable
final class GetReaderHandler: HandlesQuery {
    private let context: EntityContext

    func handle(_ query: GetReader) async throws -> String {
        try await describe(findBook(query.book, in: context), in: context)
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
