// SPDX-License-Identifier: Apache-2.0

import HeadraceCommands
import HeadraceResolution
import Testing

/// Ten thousand dispatches at once.
@Suite(.timeLimit(.minutes(2))) struct ManyDispatchesTests {
    @Test func tenThousandDispatchesAtOnceAreEachAnsweredOnce() async throws {
        let contracts = container(queryHandlers: [DoubledHandler.self])
        let dispatcher: any CommandQueryDispatcher = contracts.resolve()

        let answers = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<10_000 {
                group.addTask { try await dispatcher.dispatch(Doubled(number: number)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(answers.sorted() == (0..<10_000).map { $0 * 2 })
        #expect(contracts.resolve(Journal.self).entries.count == 10_000)
    }

    @Test func tenThousandCommandsAtOnceAreEachCarriedOutOnce() async throws {
        let contracts = container(commandHandlers: [NoteHandler.self])

        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<10_000 {
                group.addTask {
                    let dispatcher: any CommandQueryDispatcher = contracts.scope().resolve()
                    try await dispatcher.dispatch(Note(text: "\(number)"))
                }
            }
            try await group.waitForAll()
        }

        let tenants = contracts.resolve(Tenants.self).all
        #expect(Set(contracts.resolve(Journal.self).entries) == Set((0..<10_000).map { "note \($0)" }))
        #expect(contracts.resolve(Journal.self).entries.count == 10_000)
        #expect(Set(tenants.map { ObjectIdentifier($0) }).count == 10_000)
    }
}

private struct Doubled: CQDQuery {
    typealias Value = Int
    var number: Int
}

private final class DoubledHandler: HandlesQuery, Resolvable {
    private let journal: Journal

    init(scope: any DependencyResolutionScope) {
        journal = scope.resolve()
    }

    func handle(_ query: Doubled) async throws -> Int {
        journal.record("\(query.number)")
        return query.number * 2
    }
}
