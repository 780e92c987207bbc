// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceServices
import HeadraceTesting
import Testing

private struct OtherRecovery: Action {}

/// Errors that become actions, as in the table of the article.
@Suite(.timeLimit(.minutes(2))) struct ErrorTransformTests {
    private let journal = Journal()

    private func leaf(_ name: String, throwing error: TestFailure? = nil, after gate: Gate? = nil) -> Leaf {
        Leaf(name, journal, throwing: error, after: gate)
    }

    /// Records each recovery, and throws `error`.
    private func recovering(throwing error: TestFailure? = nil) -> some Service {
        Store(model: Journal.self)
            .mutate(on: Recovery.self) { journal, action, _ in
                journal.note("recovered from \(action.name)")
                if let error { throw error }
            }
            .with(model: journal)
    }

    private static func recovery(_ error: any Error) -> Recovery { Recovery(name: "\(error)") }

    @Test func anErrorBecomesAnActionAndTheSendSucceeds() async throws {
        let cluster = try await Bootstrap {
            leaf("a", throwing: TestFailure("a failed")).transformError(Self.recovery)
            recovering()
        }

        try await cluster.send(action: Ping())

        #expect(journal.entries == ["a", "recovered from a failed"])
    }

    @Test func anErrorOfASiblingIsNotTransformed() async throws {
        let cluster = try await Bootstrap {
            leaf("a").transformError(Self.recovery)
            leaf("b", throwing: TestFailure("b failed"))
            recovering()
        }

        await #expect(throws: TestFailure("b failed")) { try await cluster.send(action: Ping()) }

        #expect(Set(journal.entries) == ["a", "b"])
    }

    @Test func ofConcurrentServicesEachErrorBecomesAnActionInTheOrderWritten() async throws {
        let cluster = try await Bootstrap {
            Group {
                for number in 0..<3 { leaf("\(number)", throwing: TestFailure("\(number) failed")) }
            }
            .transformError(Self.recovery)
            recovering()
        }

        try await cluster.send(action: Ping())

        #expect(journal.entries.suffix(3) == (0..<3).map { "recovered from \($0) failed" })
    }

    @Test func ofSerialServicesTheFirstErrorBecomesAnActionAndTheRestDoNotRun() async throws {
        let cluster = try await Bootstrap {
            Group {
                leaf("a", throwing: TestFailure("a failed"))
                leaf("b")
            }
            .serial()
            .transformError(Self.recovery)
            recovering()
        }

        try await cluster.send(action: Ping())

        #expect(journal.entries == ["a", "recovered from a failed"])
    }

    @Test func anErrorOfThatActionFailsTheSendAndIsNotTransformedAgain() async throws {
        let cluster = try await Bootstrap {
            Group {
                leaf("a", throwing: TestFailure("a failed")).transformError(Self.recovery)
                recovering(throwing: TestFailure("recovery failed"))
            }
            .transformError { _ in OtherRecovery() }
            .observe(on: OtherRecovery.self) { Issue.record("transformed again") }
        }

        await #expect(throws: TestFailure("recovery failed")) { try await cluster.send(action: Ping()) }

        #expect(journal.entries == ["a", "recovered from a failed"])
    }

    @Test func errorsOfActionsSentWhileHandlingThatActionAreNotTransformed() async throws {
        let cluster = try await Bootstrap {
            Group {
                leaf("a", throwing: TestFailure("a failed"))
                Store(model: Journal.self)
                    .mutate(on: Recovery.self) { journal, _, send in
                        journal.note("recovering")
                        try await send(action: Ping())
                    }
                    .with(model: journal)
            }
            .transformError(Self.recovery)
        }

        await #expect(throws: TestFailure("a failed")) { try await cluster.send(action: Ping()) }

        #expect(journal.entries == ["a", "recovering", "a"])
    }

    @Test func theNearestTransformRunsFirstAndPassesRemainingErrorsOn() async throws {
        let journal = journal
        let cluster = try await Bootstrap {
            Group {
                leaf("a", throwing: TestFailure("near"))
                leaf("b", throwing: TestFailure("far"))
                leaf("c", throwing: TestFailure("nobody's"))
            }
            .transformError { error -> (any Action)? in
                error as? TestFailure == TestFailure("near") ? Recovery(name: "near") : nil
            }
            .transformError { error -> (any Action)? in
                error as? TestFailure == TestFailure("far") ? OtherRecovery() : nil
            }
            .observe(on: OtherRecovery.self) { journal.note("other") }
            recovering()
        }

        await #expect(throws: TestFailure("nobody's")) { try await cluster.send(action: Ping()) }

        #expect(journal.entries.suffix(2) == ["recovered from near", "other"])
    }

    @Test func anErrorOfTheTransformationIsReportedInstead() async throws {
        let cluster = try await Bootstrap {
            leaf("a", throwing: TestFailure("a failed"))
                .transformError { error -> Recovery in throw TestFailure("no idea") }
                .transformError(Self.recovery)
        }

        await #expect(throws: TestFailure("no idea")) { try await cluster.send(action: Ping()) }
    }

    @Test func cancellationIsNotTransformed() async throws {
        let cluster = try await Bootstrap {
            Store(model: Journal.self)
                .mutate(on: Ping.self) { _, _, _ in throw CancellationError() }
                .with(model: journal)
                .transformError(Self.recovery)
        }

        await #expect(throws: CancellationError.self) { try await cluster.send(action: Ping()) }
    }

    @Test func theActionGoesToTheSendOfTheEnvironment() async throws {
        let recordingSend = RecordingSend()
        let cluster = try await Bootstrap {
            leaf("a", throwing: TestFailure("a failed"))
                .transformError(Self.recovery)
                .environment(\.send, recordingSend)
        }

        try await cluster.send(action: Ping())

        #expect(recordingSend.actions(of: Recovery.self) == [Recovery(name: "a failed")])
    }
}
