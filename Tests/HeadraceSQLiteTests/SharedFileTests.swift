//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if SQLite
import GRDB
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
@testable import HeadraceSQLite
import HeadraceTesting
import Testing

/// Two stores on one file, each with separate middleware, as in two processes.
@Suite(.timeLimit(.minutes(1))) struct SharedFileTests {
    private struct Write: Codable, Sendable, IdempotentMessage {
        var idempotencyKey = "key"
    }

    @Test(arguments: ["a", "b"])
    func ofTwoProcessesWithOneKeyTheSecondReturnsTheFirstOutcome(secondID: String) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let (first, second) = (try openStore(path), try openStore(path))

            let outcome = try await chain(on: second).run(Write(), kind: .command) { command in
                try await second.execute { context in
                    // At this point the unique title is taken, and in one case the ID too.
                    context.insert(Note(secondID, title: "title"))
                    try await Task.detached {
                        _ = try await chain(on: first).run(command, kind: .command) { _ in
                            try await first.execute { $0.insert(Note("a", title: "title")) }
                            return "first"
                        }
                    }.value
                }
                return "second"
            }

            #expect(outcome == "first")
            #expect(try await first.noteIDs() == ["a"])
        }
    }

    @Test func ofTwoProcessesThatInsertTheSameEntityTheSecondFindsItWhenItRetries() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let (first, second) = (try openStore(path), try openStore(path))
            let retry = RetryMiddleware(backoff: Backoff(base: .zero), clock: TestClock())
            let chain = MiddlewareChain(middleware: [
                retry, UnitOfWorkMiddleware(on: second, delegator: RecordingDelegator()),
            ])
            var attempts = 0

            try await chain.run(Write(), kind: .command) { _ in
                attempts += 1
                try await second.execute { context in
                    let note = try await context.find(Note.self, id: "a") ?? Note("a")
                    context.insert(note)
                    note.size += 1
                }
                if attempts == 1 { try await Task.detached { try await first.insertNotes("a") }.value }
            }

            #expect(attempts == 2)
            #expect(try await EntityContext(first).find(Note.self, id: "a")?.size == 1)
        }
    }

    @Test func sqlOfAFailingNestedUnitOfWorkDoesNotRun() async throws {
        try await withTemporaryFolder { folder in
            let store = try openStore(folder.path(of: "store.sqlite"))

            let error = await #expect(throws: UnitOfWorkError.self) {
                try await store.execute { _ in
                    do {
                        try await store.execute { context in
                            context.perform { try $0.execute(sql: "CREATE TABLE inner_table (id INTEGER)") }
                            throw CancellationError()
                        }
                    } catch is CancellationError {}
                }
            }

            #expect(error?.code == .rollbackOnly)
            let isThere = try await store.pool.read { try $0.tableExists("inner_table") }
            #expect(!isThere)
        }
    }

    private func chain(on store: SQLiteStore) -> MiddlewareChain {
        MiddlewareChain(middleware: [IdempotencyMiddleware(on: store, delegator: RecordingDelegator())])
    }
}
#endif
