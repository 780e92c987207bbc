// SPDX-License-Identifier: Apache-2.0

import Headrace
import Shelf

@Resolvable
final class CountLoan: HandlesDomainEvent {
    private let context: EntityContext

    func handle(_ event: BookLent) async throws {
        try await findReader(event.reader, in: context).countLoan()
    }
}

@Resolvable
final class ShowLoan: HandlesDomainEvent {
    static let isPostCommit = true

    private let screen: Screen

    @MainActor
    func handle(_ event: BookLent) async throws {
        await show("\(event.reader) has \(event.book)")
    }

    @MainActor
    private func show(_ line: String) async {
        screen.show(line)
    }
}
