// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceTesting
import Synchronization

/// A message with a secret that no error may contain.
struct Ping: Sendable, Equatable {
    var secret = "s3cret"
}

/// A message of another type.
struct Pong: Sendable {}

struct User: Principal {
    var principalID: String
    var isAdministrator = false

    init(_ principalID: String, isAdministrator: Bool = false) {
        self.principalID = principalID
        self.isAdministrator = isAdministrator
    }
}

/// A non-Sendable output, which must not leave the caller's isolation.
final class Answer {
    var text: String

    init(_ text: String) {
        self.text = text
    }
}

/// A retryable error.
struct Outage: RetryableError, CodedError, Equatable {
    var number = 0
    var isRetryable = true
    var earliestRetry: ContinuousClock.Instant?
    var code: String { "outage" }
    var message: String { "There is an outage." }
}

struct Failure: Error, Equatable {
    var text = "failed"
}

/// A thread-safe list of notes.
final class Journal: Sendable {
    private let lines = Mutex<[String]>([])

    var entries: [String] { lines.withLock(\.self) }

    func note(_ line: String) {
        lines.withLock { $0.append(line) }
    }
}

/// Notes the begin and the end of each message.
struct Noting: Middleware {
    let name: String
    let journal: Journal

    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        journal.note("\(name) begins")
        defer { journal.note("\(name) ends") }
        return try await next(message)
    }
}

/// Checks that the middleware around it stays on the main actor.
///
/// A closure of a main-actor test can't check this, because it always runs on the main actor.
struct OnMainActor: Middleware {
    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        MainActor.assertIsolated()
        defer { MainActor.assertIsolated() }
        return try await next(message)
    }
}

/// Runs each message through middleware on one clock.
struct Handling: Sendable {
    private let middleware: [any Middleware]
    let clock: TestClock

    init(_ middleware: any Middleware..., clock: TestClock = TestClock()) {
        self.init(middleware, clock: clock)
    }

    private init(_ middleware: [any Middleware], clock: TestClock) {
        self.middleware = middleware
        self.clock = clock
    }

    /// The same middleware, each with a check that it stays on the main actor.
    var onMainActor: Handling {
        Handling([OnMainActor()] + middleware.flatMap { [$0, OnMainActor()] as [any Middleware] }, clock: clock)
    }

    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        kind: MessageKind = .command,
        by handler: nonisolated(nonsending) @escaping (Message) async throws -> Output
    ) async throws -> Output {
        try await MiddlewareChain(middleware: middleware, clock: clock).run(message, kind: kind, handler: handler)
    }

    nonisolated(nonsending) func handle<Output>(
        kind: MessageKind = .command,
        by handler: nonisolated(nonsending) @escaping (Ping) async throws -> Output
    ) async throws -> Output {
        try await handle(Ping(), kind: kind, by: handler)
    }
}

/// Fails on selected attempts, and counts all attempts.
final class Flaky: Sendable {
    private let attempts = Mutex(0)
    private let failure: @Sendable (Int) -> (any Error)?

    var attemptCount: Int { attempts.withLock(\.self) }

    init(failing failure: @escaping @Sendable (Int) -> (any Error)?) {
        self.failure = failure
    }

    /// Fails with `Outage` until attempt `attempt`.
    static func succeeding(on attempt: Int) -> Flaky {
        Flaky { $0 < attempt ? Outage(number: $0) : nil }
    }

    static var failingAlways: Flaky { Flaky { Outage(number: $0) } }

    func handle() throws -> Int {
        let attempt = attempts.withLock { attempts in
            attempts += 1
            return attempts
        }
        if let error = failure(attempt) { throw error }
        return attempt
    }
}

/// A generator with a constant result.
struct ConstantGenerator: RandomNumberGenerator {
    var value: UInt64

    mutating func next() -> UInt64 { value }
}
