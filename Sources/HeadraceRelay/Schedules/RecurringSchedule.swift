// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HeadraceDomain

/// A named schedule that sends a command at recurring times.
///
/// ```swift
/// RecurringSchedule("nightly-report", try .cron("0 3 * * *", in: berlin)) { due in MakeReport(date: due) }
/// ```
///
/// Declare it with `domain(store:…schedules:)`. For each time that is due, one relay sends one command, however many processes
/// run and however often they restart. The command and the next time are stored in one transaction, and the command has attempts
/// of its own. See <doc:RecurringSchedules>.
public struct RecurringSchedule: Sendable {
    /// The name under which the schedule is stored.
    public let name: String

    /// The times.
    public let recurrence: Recurrence

    /// The times at which the schedule fires late.
    public let catchUp: CatchUp

    let command: any DurableCommand.Type
    let send: @Sendable (Date, EntityContext) throws -> Void

    /// Declares a schedule.
    ///
    /// - Parameters:
    ///   - name: The name, from 1 to 200 bytes of UTF-8. It must never change: a schedule with another name is another schedule.
    ///   - recurrence: The times. If they differ from the stored times when a relay starts, the schedule begins again from then.
    ///   - catchUp: The times at which it still fires if no relay was running when they were due.
    ///   - command: Returns the command for the time that is due. A `ScheduledCommand` of its type must be declared, too.
    public init<Command: DurableCommand>(
        _ name: String,
        _ recurrence: Recurrence,
        catchUp: CatchUp = .last,
        sending command: @escaping @Sendable (_ due: Date) -> Command
    ) {
        self.name = name
        self.recurrence = recurrence
        self.catchUp = catchUp
        self.command = Command.self
        // At a time that the clock of the relay has reached, which may be behind the clock of this machine. If that clock is ahead,
        // the command doesn't wait for the other clocks.
        send = { due, context in _ = try context.schedule(command(due), at: due, since: due) }
    }
}
