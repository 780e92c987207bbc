// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HeadraceDomain
import HeadraceStorage

/// Takes the commands and time-outs of a reaction of a process.
///
/// They are stored in the transaction of the new state. If the reaction throws, there are none.
public struct ProcessContext<Process: DurableProcess>: Sendable {
    /// The time at which the reaction takes place.
    public let now: Date

    /// The commands, in the order sent.
    package private(set) var commands: [any DurableCommand] = []

    /// The last change of each time-out: its date, or `nil` if it is cancelled.
    package private(set) var timeouts: [Process.Timeout: Date?] = [:]

    /// The time-outs among ``timeouts`` whose dates count from ``now``.
    private(set) var delayed: Set<Process.Timeout> = []

    /// Whether the process has ended.
    package private(set) var isEnded = false

    init(now: Date) {
        self.now = now
    }

    /// Sends `command`: a relay carries it out after the transaction, with attempts of its own.
    ///
    /// Its type must be one of ``DurableProcess/commands``; otherwise the reaction fails with ``ProcessError``. Commands have no
    /// order. To send a command after a delay, set a time-out and send the command when it is due.
    public mutating func send(_ command: some DurableCommand) {
        commands.append(command)
    }

    /// Sets a time-out, which replaces an earlier time of the same time-out.
    ///
    /// - Parameters:
    ///   - timeout: The time-out.
    ///   - delay: The time from ``now`` on.
    public mutating func setTimeout(_ timeout: Process.Timeout, after delay: Duration) {
        setTimeout(timeout, at: now.advanced(by: delay))
        delayed.insert(timeout)
    }

    /// Sets a time-out, which replaces an earlier time of the same time-out.
    ///
    /// - Parameters:
    ///   - timeout: The time-out.
    ///   - date: The time; a time in the past means as soon as possible.
    public mutating func setTimeout(_ timeout: Process.Timeout, at date: Date) {
        timeouts[timeout] = .some(date)
        delayed.remove(timeout)
    }

    /// Cancels a time-out; without effect if it isn't set.
    ///
    /// A time-out whose time has come at the same moment has no effect once this is stored.
    public mutating func cancelTimeout(_ timeout: Process.Timeout) {
        timeouts[timeout] = .some(nil)
    }

    /// Ends the process: its time-outs are cancelled, and it ignores all later events.
    ///
    /// The store keeps the final state, so that a late event doesn't start the process again; see ``Processes``.
    public mutating func end() {
        isEnded = true
    }
}
