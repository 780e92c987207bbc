// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceServices
import HeadraceTesting
import Testing

/// `pre`, `post`, and `observe`, as in the table of the article.
@Suite(.timeLimit(.minutes(2))) struct InterceptorTests {
    private let journal = Journal()

    private func leaf(_ name: String, throwing error: TestFailure? = nil) -> Leaf {
        Leaf(name, journal, throwing: error)
    }

    @Test func interceptorsRunBeforeAndAfterTheServicesAndNest() async throws {
        let journal = journal
        let cluster = try await Bootstrap {
            leaf("leaf")
                .pre { _ in journal.note("inner pre") }
                .post { _ in journal.note("inner post") }
                .observe { _ in journal.note("inner observe") }
                .pre { _ in journal.note("outer pre") }
                .post { _ in journal.note("outer post") }
        }

        try await cluster.send(action: Ping())

        #expect(
            journal.entries == ["outer pre", "inner pre", "leaf", "inner post", "inner observe", "outer post"]
        )
    }

    @Test func anErrorOfPreSkipsTheServicesButNotOuterInterceptors() async throws {
        let journal = journal
        let cluster = try await Bootstrap {
            leaf("leaf")
                .post { _ in journal.note("inner post") }
                .pre { _ in throw TestFailure("refused") }
                .observe { _ in journal.note("observe") }
                .post { _, outcome in journal.note("outer post: \(outcome.code)") }
        }

        await #expect(throws: TestFailure("refused")) { try await cluster.send(action: Ping()) }

        #expect(journal.entries == ["observe", "outer post: HeadraceServicesTests.TestFailure"])
    }

    @Test func postAndObserveRunAfterServicesThatFail() async throws {
        let journal = journal
        let cluster = try await Bootstrap {
            leaf("a", throwing: TestFailure("a failed"))
                .post(on: Ping.self) { action, outcome in
                    if case .failure(let error) = outcome { journal.note("post: \(error)") }
                }
                .observe(on: Ping.self) { _ in journal.note("observe") }
        }

        await #expect(throws: TestFailure("a failed")) { try await cluster.send(action: Ping()) }

        #expect(journal.entries == ["a", "post: a failed", "observe"])
    }

    @Test func aSiblingThatFailsDoesNotSkipThePostOfAnother() async throws {
        let journal = journal
        let gate = Gate()
        let cluster = try await Bootstrap {
            leaf("a", throwing: TestFailure("a failed")).post { _ in gate.open() }
            Group {
                leaf("b").pre { _ in await gate.pass() }
            }
            .post { _ in journal.note("post of b") }
        }

        await #expect(throws: TestFailure("a failed")) { try await cluster.send(action: Ping()) }

        #expect(journal.entries == ["a", "b", "post of b"])
    }

    @Test func anErrorOfPostIsReportedInAdditionToTheErrorOfTheServices() async throws {
        let cluster = try await Bootstrap {
            leaf("a", throwing: TestFailure("a failed"))
                .post { _ in throw TestFailure("post failed") }
        }

        let failures = await #expect(throws: ServiceFailures.self) { try await cluster.send(action: Ping()) }

        #expect(failures?.errors as? [TestFailure] == [TestFailure("a failed"), TestFailure("post failed")])
    }

    @Test func anErrorOfPostFailsTheSendIfTheServicesSucceed() async throws {
        let cluster = try await Bootstrap {
            leaf("a").post { _ in throw TestFailure("post failed") }
        }

        await #expect(throws: TestFailure("post failed")) { try await cluster.send(action: Ping()) }
    }

    @Test func interceptorsWithoutATypeReceiveEveryAction() async throws {
        let journal = journal
        let cluster = try await Bootstrap {
            leaf("leaf")
                .pre { journal.note("pre \($0)") }
                .observe { journal.note("observe \($0)") }
        }

        try await cluster.send(action: Unheard())
        try await cluster.send(action: Unheard())

        #expect(journal.entries == ["pre Unheard()", "observe Unheard()", "pre Unheard()", "observe Unheard()"])
    }

    @Test func interceptorsWithATypeReceiveOnlyActionsOfThatType() async throws {
        let journal = journal
        let cluster = try await Bootstrap {
            leaf("leaf")
                .pre(on: Pong.self) { journal.note("pre \($0.number)") }
                .post(on: Pong.self) { (action: Pong) in journal.note("post \(action.number)") }
                .observe(on: Pong.self) { journal.note("observe") }
        }

        try await cluster.send(action: Ping())
        try await cluster.send(action: Pong(number: 3))

        #expect(journal.entries == ["leaf", "pre 3", "post 3", "observe"])
    }

    @Test func postRunsAfterACancelledSend() async throws {
        let journal = journal
        let gate = Gate()
        let cluster = try await Bootstrap {
            Group {
                leaf("a").pre { _ in await gate.pass() }
                leaf("b")
            }
            .serial()
            .post { _, outcome in journal.note("post: \(outcome.code)") }
        }

        let sending = Task { try await cluster.send(action: Ping()) }
        await gate.arrivals(1)
        sending.cancel()
        gate.open()

        await #expect(throws: CancellationError.self) { try await sending.value }
        #expect(journal.entries == ["a", "post: cancelled"])
    }
}
