// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceStorage
import HeadraceTesting

/// Rate limits whose buckets are in the store, see `SharedRateLimitMiddleware`.
extension StoreContract {
    /// The clock of the test, instead of the clock of the store.
    private static var now: @Sendable () -> Date { { SystemValues.currentDate } }

    /// The checks; if the store is shared, each process has its own store object.
    static func rateLimitChecks(for capabilities: Capabilities) -> [Check] {
        [
            Check("processes that share a rate limit together pass exactly the burst") { fixture in
                let first = try await fixture.openStore([RateLimitBucket.self])
                let second =
                    capabilities.isShared ? try await fixture.openStore([RateLimitBucket.self]) : first
                let clock = TestClock()
                try await SystemValues.withCurrent(.test(clock: clock)) {
                    let processes = [first, second].map { store in
                        Limited(SharedRateLimitMiddleware(10, every: .seconds(10), burst: 6, on: store, wallClock: now))
                    }
                    for (round, expected) in [6, 2, 0, 6].enumerated() {
                        let passed = try await withThrowingTaskGroup(of: Bool.self) { group in
                            for task in 0..<12 {
                                group.addTask { try await processes[task % 2].passes() == nil }
                            }
                            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                        }
                        try requireEqual(passed, expected, "the messages that passed in round \(round)")
                        clock.advance(by: [.seconds(2), .milliseconds(999), .seconds(60), .zero][round])
                    }
                }
            },
            Check("a shared rate limit decides as a token bucket in memory") { fixture in
                let store = try await fixture.openStore([RateLimitBucket.self])
                let clock = TestClock()
                var generator = SeededGenerator(seed: 11)
                try await SystemValues.withCurrent(.test(clock: clock)) {
                    var model = TokenBuckets<String>(size: 3, interval: .milliseconds(250), maximumCount: 10)
                    let limit = Limited(
                        SharedRateLimitMiddleware(
                            4, every: .seconds(1), burst: 3, per: .principal, on: store, wallClock: now))
                    for step in 0..<200 {
                        let principal = ["ada", "bob"][Int.random(in: 0...1, using: &generator)]
                        let expected = model.take(principal, at: clock.now).map { clock.now.duration(to: $0) }
                        let actual = try await limit.passes(as: principal)
                        try requireEqual(actual, expected, "the wait of '\(principal)' in step \(step)")
                        clock.advance(by: .milliseconds(Int.random(in: 0...300, using: &generator)))
                    }
                }
            },
            Check("a token stays taken if its message fails, also within a unit of work") { fixture in
                let store = try await fixture.openStore([RateLimitBucket.self])
                try await SystemValues.withCurrent(.test()) {
                    let limit = Limited(SharedRateLimitMiddleware(1, every: .seconds(10), on: store, wallClock: now))
                    do {
                        let work = UnitOfWork(delegator: RecordingDelegator(), context: EntityContext(store))
                        try await work.execute { _ in
                            _ = try await limit.passes()
                            throw CancellationError()
                        }
                    } catch is CancellationError {}
                    try requireEqual(try await limit.passes(), .seconds(10), "the wait")
                }
            },
            Check("limits with different names on one store are distinct") { fixture in
                let store = try await fixture.openStore([RateLimitBucket.self])
                try await SystemValues.withCurrent(.test()) {
                    for name in ["mails", "orders"] {
                        let limit = Limited(
                            SharedRateLimitMiddleware(
                                1, every: .seconds(10), named: name, on: store, wallClock: now))
                        try requireEqual(try await limit.passes(), nil, "the wait of the limit '\(name)'")
                    }
                }
            },
        ]
    }
}

private struct Limited: Sendable {
    private struct Request: Sendable {}

    private struct User: Principal {
        let principalID: String
    }

    private let chain: MiddlewareChain

    init(_ limit: SharedRateLimitMiddleware) {
        chain = MiddlewareChain(middleware: [limit])
    }

    /// Returns `nil` if a message passes, or the time after which it may be sent again.
    nonisolated(nonsending) func passes(as principal: String? = nil) async throws -> Duration? {
        try await MessageContext.withPrincipal(principal.map { User(principalID: $0) }) {
            do {
                try await chain.run(Request(), kind: .command) { _ in }
                return nil
            } catch let error as RateLimitError {
                return error.retryAfter
            }
        }
    }
}
