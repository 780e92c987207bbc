// SPDX-License-Identifier: Apache-2.0

package import HeadraceCore
package import HeadraceTesting
import Synchronization

/// A message with a secret that no error may contain.
package struct Ping: Sendable, Equatable {
    package var secret: String

    /// Creates a message.
    package init(secret: String = "s3cret") {
        self.secret = secret
    }
}

/// A message of another type.
package struct Pong: Sendable {
    /// Creates a message.
    package init() {}
}

/// A principal, who may be an administrator.
package struct User: Principal {
    package var principalID: String
    package var isAdministrator: Bool

    /// Creates a principal with an ID.
    package init(_ principalID: String, isAdministrator: Bool = false) {
        self.principalID = principalID
        self.isAdministrator = isAdministrator
    }
}

/// A non-Sendable output, which must not leave the caller's isolation.
package final class Answer {
    package var text: String

    /// Creates an output.
    package init(_ text: String) {
        self.text = text
    }
}

/// A retryable error.
package struct Outage: RetryableError, CodedError, Equatable {
    package var number: Int
    package var isRetryable: Bool
    package var earliestRetry: ContinuousClock.Instant?
    package var code: String { "outage" }
    package var message: String { "There is an outage." }

    /// Creates an error with the number of its attempt.
    package init(number: Int = 0, isRetryable: Bool = true, earliestRetry: ContinuousClock.Instant? = nil) {
        self.number = number
        self.isRetryable = isRetryable
        self.earliestRetry = earliestRetry
    }
}

/// An error without a code.
package struct Failure: Error, Equatable {
    package var text: String

    /// Creates an error.
    package init(text: String = "failed") {
        self.text = text
    }
}

/// A thread-safe list of notes.
package final class Journal: Sendable {
    private let lines = Mutex<[String]>([])

    /// Creates an empty list.
    package init() {}

    /// The notes in the order of their arrival.
    package var entries: [String] { lines.withLock(\.self) }

    /// Adds a note.
    package func note(_ line: String) {
        lines.withLock { $0.append(line) }
    }
}

/// Fails on selected attempts, and counts all attempts.
package final class Flaky: Sendable {
    private let attempts = Mutex(0)
    private let failure: @Sendable (Int) -> (any Error)?

    /// Number of attempts until now.
    package var attemptCount: Int { attempts.withLock(\.self) }

    /// Creates a handler that fails on the attempts for which `failure` returns an error.
    package init(failing failure: @escaping @Sendable (Int) -> (any Error)?) {
        self.failure = failure
    }

    /// Fails with `Outage` until attempt `attempt`.
    package static func succeeding(on attempt: Int) -> Flaky {
        Flaky { $0 < attempt ? Outage(number: $0) : nil }
    }

    /// Fails with `Outage` on each attempt.
    package static var failingAlways: Flaky { Flaky { Outage(number: $0) } }

    /// Fails, or returns the number of the attempt.
    package func handle() throws -> Int {
        let attempt = attempts.withLock { attempts in
            attempts += 1
            return attempts
        }
        if let error = failure(attempt) { throw error }
        return attempt
    }
}

/// Runs each message through middleware on one clock.
package struct Handling: Sendable {
    private let middleware: [any Middleware]
    package let clock: TestClock

    /// Creates a chain of middleware, the outermost first.
    package init(_ middleware: any Middleware..., clock: TestClock = TestClock()) {
        self.init(middleware, clock: clock)
    }

    private init(_ middleware: [any Middleware], clock: TestClock) {
        self.middleware = middleware
        self.clock = clock
    }

    /// The same middleware, each with a check that it stays on the main actor.
    package var onMainActor: Handling {
        Handling([OnMainActor()] + middleware.flatMap { [$0, OnMainActor()] as [any Middleware] }, clock: clock)
    }

    /// Handles `message` inside the middleware.
    package nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        kind: MessageKind = .command,
        by handler: nonisolated(nonsending) @escaping (Message) async throws -> Output
    ) async throws -> Output {
        try await MiddlewareChain(middleware: middleware, clock: clock).run(message, kind: kind, handler: handler)
    }

    /// Handles a `Ping` inside the middleware.
    package nonisolated(nonsending) func handle<Output>(
        kind: MessageKind = .command,
        by handler: nonisolated(nonsending) @escaping (Ping) async throws -> Output
    ) async throws -> Output {
        try await handle(Ping(), kind: kind, by: handler)
    }
}

/// Checks that the middleware around it stays on the main actor.
///
/// A closure of a main-actor test can't check this, because it always runs on the main actor.
private struct OnMainActor: Middleware {
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
