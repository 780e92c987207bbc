// SPDX-License-Identifier: Apache-2.0

#if Client
import Foundation
import HeadraceCore
import HeadraceDomain

/// The commands that are being sent, the pauses, and the replicas that follow the server.
///
/// A value of the server replaces the entities of the device only if it is certain which commands it includes. Otherwise a command would
/// take effect twice in a prediction, or its effect would disappear for a moment. There are two rules:
///
/// - While a command is being sent, a value may include its effect or not, so it waits until the command has an outcome.
/// - After an acknowledgement, the command stays in the prediction until each replica has a value that it has requested later. In between,
///   nothing is sent. The values are stored in one commit, which also removes the command.
struct OutboxState {
    /// Stores a value of the server.
    typealias Value = nonisolated(nonsending) @Sendable (EntityContext) async throws -> Void

    /// The treatment of a value that a replica has received.
    enum Decision {
        /// The values replace entities, and include the effect of the commands in `included`.
        case store([Value], included: Set<UUID>)

        /// The value waits for the outcome of a command, or for the values of the other replicas if it `hasArrived`.
        case wait(hasArrived: Bool)

        /// The value is stored, or another connection will bring a later one.
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

    /// Number of times that the pauses were ended.
    var wakes = 0

    /// Number of attempts after the last that the server has answered.
    var unanswered = 0

    /// The error of the store that ends the run.
    var error: (any Error)?

    /// The acknowledged commands that may be missing in a replica.
    var acknowledged: Set<UUID> = []

    private(set) var replicas: Set<UUID> = []

    /// The values that include acknowledged commands, and wait for those of the other replicas.
    private var arrived: [UUID: (value: Value, included: Set<UUID>)] = [:]

    /// Number of times that the replicas were asked to connect again.
    private(set) var refreshes = 0

    /// The end of the time for which nothing is sent, because the replicas connect again.
    private(set) var refreshEnd: ContinuousClock.Instant?

    /// Number of times that the replicas have connected again in vain.
    private var missedRefreshes = 0

    // MARK: Commands

    mutating func begin(_ commands: [UUID]) {
        sending.formUnion(commands)
        sent += commands.count
        if !commands.isEmpty { arrived = [:] }
    }

    mutating func end(_ command: UUID) {
        sending.remove(command)
    }

    /// Forgets an earlier run.
    mutating func restart(acknowledged: Set<UUID>) {
        error = nil
        sending = []
        refreshEnd = nil
        missedRefreshes = 0
        self.acknowledged = acknowledged
    }

    // MARK: Replicas

    mutating func register(_ replica: UUID) {
        replicas.insert(replica)
    }

    mutating func unregister(_ replica: UUID) {
        replicas.remove(replica)
        arrived[replica] = nil
        if replicas.isEmpty { refreshEnd = nil }
    }

    var ticket: Ticket { Ticket(sent: sent, wasIdle: sending.isEmpty, acknowledged: acknowledged) }

    /// Whether the replicas must connect again before more is sent.
    var needsRefresh: Bool { sending.isEmpty && !acknowledged.isEmpty && !replicas.isEmpty }

    /// Lets the replicas connect again.
    ///
    /// They have five seconds. Under load, they may need more: each time in vain doubles it, up to 40 seconds, because the next connections
    /// would make the load greater.
    mutating func refresh(at now: ContinuousClock.Instant) {
        refreshes += 1
        refreshEnd = now.advanced(by: .seconds(5 << min(missedRefreshes, 3)))
        missedRefreshes += 1
    }

    /// Decides about a value of `replica`.
    ///
    /// - Parameters:
    ///   - value: Stores the value.
    ///   - replica: The replica that has received it.
    ///   - ticket: The begin of its connection.
    ///   - isFirst: Whether the value is the first of its connection.
    ///   - hasArrived: Whether the last decision was that it waits for other values.
    /// - Returns: The decision.
    mutating func decide(
        _ value: @escaping Value,
        of replica: UUID,
        _ ticket: Ticket,
        isFirst: Bool,
        hasArrived: Bool
    ) -> Decision {
        if hasArrived, arrived[replica] == nil { return .drop }
        if ticket.wasIdle, ticket.sent == sent {
            if !isFirst || ticket.acknowledged.isEmpty { return .store([value], included: []) }
            arrived[replica] = (value, ticket.acknowledged)
            if !replicas.isSubset(of: arrived.keys) { return .wait(hasArrived: true) }
            let values = arrived.values
            arrived = [:]
            return .store(
                values.map(\.value), included: values.reduce(acknowledged) { $0.intersection($1.included) })
        }
        if !sending.isEmpty { return .wait(hasArrived: false) }
        return acknowledged.isEmpty ? .store([value], included: []) : .drop
    }

    /// Forgets commands whose effect is stored.
    mutating func remove(acknowledged included: Set<UUID>) {
        acknowledged.subtract(included)
        if !included.isEmpty { missedRefreshes = 0 }
        if acknowledged.isEmpty { refreshEnd = nil }
    }
}
#endif
