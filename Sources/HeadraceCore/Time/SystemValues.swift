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
