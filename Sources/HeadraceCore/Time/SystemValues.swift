// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

/// The values that a program receives from its system: date, UUIDs, random numbers, clock, calendar, and locale.
///
/// Headrace reads its dates, UUIDs, random numbers, and instants here, unless a clock is passed to an object. A program that reads its
/// own from ``current`` behaves the same each time that its tests replace them:
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

    /// The replaced values; `nil` in a running program, which so pays for one atomic load only.
    package static var bound: SystemValues? { haveBeenReplaced.load(ordering: .relaxed) ? ofTask : nil }

    /// The replaced values of the task.
    ///
    /// Stations, services, and pipelines start tasks of their own, to which `CarriedValues` brings the values.
    @TaskLocal static var ofTask: SystemValues?

    /// Whether a task has ever replaced the values.
    ///
    /// A task with replaced values has set this itself, or was started by a task that has, so a relaxed load suffices. A look-up of a
    /// task-local value takes as long as an asynchronous call.
    private static let haveBeenReplaced = Atomic(false)

    /// The current date.
    ///
    /// It copies no other value.
    package static var currentDate: Date { bound?.date() ?? Date() }
}

extension SystemValues {
    /// Runs `operation` with `values` as ``current``, for its task, its child tasks, and the actions that it sends.
    ///
    /// - Returns: The result of `operation`.
    /// - Throws: The errors of `operation`.
    public static nonisolated(nonsending) func withCurrent<Result>(
        _ values: SystemValues,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        haveBeenReplaced.store(true, ordering: .relaxed)
        return try await $ofTask.binding(values, operation)
    }

    /// The synchronous variant of the asynchronous method.
    public static func withCurrent<Result>(
        _ values: SystemValues,
        _ operation: () throws -> Result
    ) rethrows -> Result {
        haveBeenReplaced.store(true, ordering: .relaxed)
        return try $ofTask.withValue(values, operation: operation)
    }
}

/// The clock of the current ``SystemValues``: a `ContinuousClock`, unless a test has replaced it.
///
/// It is the default clock of middleware, stations, services, and relays, so a test of a complete program controls their time without a
/// parameter.
public struct CurrentClock: TimeSource {
    /// Creates the clock.
    public init() {}

    /// The current instant.
    public var now: ContinuousClock.Instant { SystemValues.bound?.clock.now ?? ContinuousClock.now }

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

    /// The random numbers of the current ``SystemValues``, which are looked up for each number.
    ///
    /// An object that outlives the replacement of the values, such as middleware, keeps this source. It can't be the source of the
    /// values themselves.
    public static let current = RandomNumbers { (SystemValues.bound?.randomNumbers ?? .system).makeNext() }

    /// Returns 64 random bits.
    public mutating func next() -> UInt64 { makeNext() }
}

/// A random number generator that is reproducible by its seed.
///
/// Source: Steele, Lea and Flood, Fast splittable pseudorandom number generators,
/// <https://doi.org/10.1145/2714064.2660195>.
package struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
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
