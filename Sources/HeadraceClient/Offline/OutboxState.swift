// SPDX-License-Identifier: Apache-2.0

#if Client
import Foundation
import HeadraceCore

/// The commands that are being sent, the pauses, and the replicas that follow the server.
///
/// A value of the server replaces the entities of the device only if it is certain which commands it includes. Otherwise a command would
/// take effect twice in a prediction, or its effect would disappear for a moment. There are two rules:
///
/// - While a command is being sent, a value may include its effect or not, so it waits until the command has an outcome.
/// - After an acknowledgement, the command stays in the prediction until a value comes that the device has requested later. In between,
///   nothing is sent. Only a connection that began then has such a value as its first one.
struct OutboxState {
    /// The treatment of a value that a replica has received.
    enum Decision {
        /// Replaces the entities. The commands in `included` have their effect in the value.
        case apply(included: Set<UUID>)

        /// The value waits for the outcome of a command.
        case wait

        /// Another connection will bring a later value.
        case drop
    }

    /// The begin of a connection.
    struct Ticket {
        /// Number of commands that had been sent before.
        let sent: Int
        let wasIdle: Bool

        /// The acknowledged commands, which all values of the connection include.
        let acknowledged: Set<UUID>
    }

    /// The commands that are being sent.
    private(set) var sending: Set<UUID> = []

    /// Number of commands whose sending has begun.
    private var sent = 0

    /// The ends of the pauses of single commands.
    var pauses: [UUID: ContinuousClock.Instant] = [:]

    /// The end of the pause of all commands.
    var pause: ContinuousClock.Instant?

    /// Number of attempts after the last that the server has answered.
    var unanswered = 0

    /// The error of the store that ends the run.
    var error: (any Error)?

    /// The acknowledged commands that may be missing in a replica.
    var acknowledged: Set<UUID> = []

    /// For each replica, the acknowledged commands that it includes.
    private(set) var replicas: [UUID: Set<UUID>] = [:]

    /// Number of times that the replicas were asked to connect again.
    private(set) var refreshes = 0

    /// The end of the time for which nothing is sent, because the replicas connect again.
    private(set) var refreshEnd: ContinuousClock.Instant?

    // MARK: Commands

    mutating func begin(_ commands: [UUID]) {
        sending.formUnion(commands)
        sent += commands.count
    }

    mutating func end(_ command: UUID) {
        sending.remove(command)
    }

    /// Forgets an earlier run.
    mutating func restart(acknowledged: Set<UUID>) {
        error = nil
        sending = []
        refreshEnd = nil
        self.acknowledged = acknowledged
    }

    // MARK: Replicas

    mutating func register(_ replica: UUID) {
        replicas[replica] = []
    }

    mutating func unregister(_ replica: UUID) {
        replicas[replica] = nil
        if replicas.isEmpty { refreshEnd = nil }
    }

    var ticket: Ticket { Ticket(sent: sent, wasIdle: sending.isEmpty, acknowledged: acknowledged) }

    /// Whether the replicas must connect again before more is sent.
    var needsRefresh: Bool { sending.isEmpty && !acknowledged.isEmpty && !replicas.isEmpty }

    mutating func refresh(until end: ContinuousClock.Instant) {
        refreshes += 1
        refreshEnd = end
    }

    /// Decides about a value of `replica`, which is the first of its connection if `isFirst`.
    mutating func decide(_ replica: UUID, _ ticket: Ticket, isFirst: Bool) -> Decision {
        if ticket.wasIdle, ticket.sent == sent {
            if !isFirst { return .apply(included: []) }
            replicas[replica]?.formUnion(ticket.acknowledged)
            let others = replicas.values
            return .apply(included: ticket.acknowledged.filter { id in others.allSatisfy { $0.contains(id) } })
        }
        if !sending.isEmpty { return .wait }
        return acknowledged.isEmpty ? .apply(included: []) : .drop
    }

    /// Forgets commands that all replicas include.
    mutating func remove(acknowledged included: Set<UUID>) {
        acknowledged.subtract(included)
        for replica in replicas.keys { replicas[replica]?.subtract(included) }
        if acknowledged.isEmpty { refreshEnd = nil }
    }
}
#endif
