// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The stored record of a command with an idempotency key, committed together with the changes of the command.
public struct IdempotencyRecord: Hashable, Sendable {
    /// The key.
    public let key: String

    /// The command as JSON, to detect a different command with the same key.
    public let command: Data

    /// The return value of the command, as JSON.
    public let outcome: Data

    /// The time at which the command took effect, to the millisecond.
    public let date: Date

    /// Creates a record; `date` is rounded to the millisecond.
    public init(key: String, command: Data, outcome: Data, date: Date) {
        self.key = key
        self.command = command
        self.outcome = outcome
        self.date = Date(milliseconds: date.milliseconds)
    }
}
