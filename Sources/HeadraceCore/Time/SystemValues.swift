// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The values that a program receives from its system: date, UUIDs, random numbers, clock, calendar, and locale.
///
/// Headrace reads the date and the UUIDs of stored messages here, and so do `EntityContext.schedule(_:after:id:)` and relays. A
/// program that reads its own from ``current`` behaves the same each time that its tests replace them:
///
/// ```swift
/// let expiry = SystemValues.current.date().addingTimeInterval(15 * 60)
/// ```
///
/// To inject them into an object instead, register them: `builder.transient { SystemValues.current }`.
///
/// `SystemValues.test(clock:seed:)` of `HeadraceTesting` makes values for a test, and a `TestRelay` sets them.
public struct SystemValues: Sendable {
    /// Returns the current date.
    public var date: @Sendable () -> Date

    /// Returns a new UUID.
    public var uuid: @Sendable () -> UUID

    /// The source of random numbers.
    public var randomNumbers: RandomNumbers

    /// The clock for sleeps and deadlines.
    public var clock: any TimeSource

    /// The calendar for the calculation with dates, with its time zone.
    public var calendar: Calendar

    /// The locale for texts.
    public var locale: Locale

    /// Reports a mistake of the program to the running test; `nil` in a running program.
    package var reportMistake: (@Sendable (_ message: String) -> Void)?

    /// Creates values; each is by default the value of the system.
    public init(
        date: @escaping @Sendable () -> Date = { Date() },
        uuid: @escaping @Sendable () -> UUID = { .systemVersion7() },
        randomNumbers: RandomNumbers = .system,
        clock: any TimeSource = ContinuousClock(),
        calendar: Calendar = .autoupdatingCurrent,
        locale: Locale = .autoupdatingCurrent
    ) {
        self.date = date
        self.uuid = uuid
        self.randomNumbers = randomNumbers
        self.clock = clock
        self.calendar = calendar
        self.locale = locale
    }

    /// The values of the system.
    public static let live = SystemValues()

    /// The values of the current task: those of ``withCurrent(_:_:)-5s7xn``, or else ``live``.
    public static var current: SystemValues { bound ?? live }

    /// The replaced values; `nil` in a running program, which so pays for one task-local look-up only.
    @TaskLocal package static var bound: SystemValues?

    /// The current date.
    ///
    /// It copies no other value.
    package static var currentDate: Date { bound?.date() ?? Date() }
}

extension SystemValues {
    /// Stations and pipelines start tasks of their own, which receive the values by this registration.
    private static let registration: Void = CarriedValues.register(.ifPresent(SystemValues.$bound))

    /// Runs `operation` with `values` as ``current``, for its task, its child tasks, and the actions that it sends.
    ///
    /// - Returns: The result of `operation`.
    /// - Throws: The errors of `operation`.
    public static nonisolated(nonsending) func withCurrent<Result>(
        _ values: SystemValues,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        _ = registration
        return try await $bound.binding(values, operation)
    }

    /// The synchronous variant of the asynchronous method.
    public static func withCurrent<Result>(
        _ values: SystemValues,
        _ operation: () throws -> Result
    ) rethrows -> Result {
        _ = registration
        return try $bound.withValue(values, operation: operation)
    }
}

/// The clock of the current ``SystemValues``: a `ContinuousClock`, unless a test has replaced it.
///
/// It is the default clock of a `Relay`, so a test of a complete program controls the relay without a parameter.
public struct CurrentClock: TimeSource {
    /// Creates the clock.
    public init() {}

    /// The current instant.
    public var now: ContinuousClock.Instant { SystemValues.current.clock.now }

    /// The smallest step of the clock.
    public var minimumResolution: Duration { SystemValues.current.clock.minimumResolution }

    /// Sleeps until the clock reaches `deadline`.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before or during the sleep.
    public func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration? = nil) async throws {
        try await SystemValues.current.clock.sleep(until: deadline, tolerance: tolerance)
    }
}

/// A source of random numbers that many tasks can share.
///
/// ```swift
/// var generator = SystemValues.current.randomNumbers
/// let eyes = Int.random(in: 1...6, using: &generator)
/// ```
public struct RandomNumbers: RandomNumberGenerator, Sendable {
    private let makeNext: @Sendable () -> UInt64

    /// Creates a source; each call of `next` returns 64 random bits, on any thread.
    public init(_ next: @escaping @Sendable () -> UInt64) {
        makeNext = next
    }

    /// The random numbers of the system, which are suitable for cryptography.
    public static let system = RandomNumbers { .random(in: 0...UInt64.max) }

    /// Returns 64 random bits.
    public mutating func next() -> UInt64 { makeNext() }
}

/// A clock that shares the instants of `ContinuousClock`, so that deadlines are comparable between clocks.
///
/// `ContinuousClock` conforms, and so does `TestClock` of `HeadraceTesting`. A test controls the time of a `TestClock`.
public protocol TimeSource: Clock where Instant == ContinuousClock.Instant {}

extension ContinuousClock: TimeSource {}

/// Exponential back-off with jitter: the pauses between the attempts of an operation.
///
/// Without jitter, the pauses are `base`, `base * factor`, `base * factor * factor`, up to `longest`. Jitter shortens
/// each pause by a random fraction, so that operations which failed at the same time aren't retried at the same time.
///
/// Source: Marc Brooker, Exponential Backoff And Jitter,
/// <https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/>.
public struct Backoff: Hashable, Sendable {
    /// Pause after the first attempt.
    public let base: Duration

    /// Ratio of each pause to the previous pause, at least 1.
    public let factor: Double

    /// Upper limit of each pause.
    public let longest: Duration

    /// Largest fraction by which a pause is shortened: 0 for constant pauses, 1 for pauses that can be zero.
    public let jitter: Double

    /// Creates a back-off.
    ///
    /// - Precondition: `base` and `longest` must not be negative. `factor` must be at least 1, and `jitter` in `0...1`.
    public init(
        base: Duration = .milliseconds(50),
        factor: Double = 2,
        longest: Duration = .seconds(5),
        jitter: Double = 0.5
    ) {
        precondition(
            base >= .zero && longest >= .zero,
            "A pause of the back-off is negative. To fix, pass 0 or more for 'base' and 'longest'.")
        precondition(
            factor >= 1 && factor.isFinite, "The factor of the back-off is less than 1. To fix, pass 1 or more.")
        precondition(
            (0...1).contains(jitter), "The jitter of the back-off is out of range. To fix, pass a number from 0 to 1.")
        self.base = base
        self.factor = factor
        self.longest = longest
        self.jitter = jitter
    }

    /// Returns the pause after the attempt with the number `attempt`, counting from 1.
    ///
    /// - Complexity: O(*n*) in `attempt`, until the longest pause is reached.
    public func pause(
        afterAttempt attempt: Int,
        using generator: inout some RandomNumberGenerator
    ) -> Duration {
        let pause = longestPause(afterAttempt: attempt)
        if jitter == 0 { return pause }
        // In 0..<1, from a single number, so that a generator with a constant result can't cause an endless loop.
        let random = Double(generator.next() >> 11) * 0x1p-53
        return pause * (1 - jitter * random)
    }

    /// Returns the pause without jitter after the attempt with the number `attempt`, counting from 1.
    ///
    /// - Complexity: See ``pause(afterAttempt:using:)``.
    package func longestPause(afterAttempt attempt: Int) -> Duration {
        var pause = min(base, longest)
        var step = 1
        while step < attempt, factor > 1, .zero < pause, pause < longest {
            // The division prevents an overflow of the product.
            pause = (pause < longest / factor) ? pause * factor : longest
            step += 1
        }
        return pause
    }
}
