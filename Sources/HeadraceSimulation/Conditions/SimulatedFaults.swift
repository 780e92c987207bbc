// SPDX-License-Identifier: Apache-2.0

#if Simulations
/// What can go wrong in a simulation, and how often.
///
/// Rates are means over simulated time, and probabilities are for each request. The seed decides when each fault happens. When the
/// body of the simulation returns, the faults end, and nodes that are down or cut off come back.
public struct SimulatedFaults: Hashable, Sendable {
    /// Mean time between two kills of a node (SIGKILL); `nil` for none.
    public var killInterval: Duration? = .seconds(20)

    /// Mean time between two pauses of a node (SIGSTOP), which may last longer than its leases; `nil` for none.
    public var pauseInterval: Duration? = .seconds(20)

    /// Mean time between two partitions, which cut a node off from the store and from clients; `nil` for none.
    public var partitionInterval: Duration? = .seconds(30)

    /// Mean time between two crashes of the store's server, or power failures of its machine; `nil` for none.
    public var storeCrashInterval: Duration? = .seconds(40)

    /// Probability that a request to the store is lost before it takes effect, or its answer after that.
    public var storeLoss = 0.01

    /// Probability that a message between nodes and clients is lost, on each way.
    public var messageLoss = 0.02

    /// Probability that a request arrives twice.
    public var repetition = 0.02

    /// Probability that a call of an outside service fails, half of the time after its effect.
    public var serviceFailure = 0.05

    /// Mean delay of a message or of a request to the store, on each way.
    public var delay: Duration = .milliseconds(1)

    /// Largest difference between the clock of a node and the right time.
    public var clockSkew: Duration = .milliseconds(200)

    /// Creates faults of all kinds, at rates that suit a simulation of some minutes.
    public init() {}

    /// All kinds of fault.
    public static let all = SimulatedFaults()

    /// No faults: messages take time, and arrive.
    public static let none: SimulatedFaults = {
        var faults = SimulatedFaults()
        faults.killInterval = nil
        faults.pauseInterval = nil
        faults.partitionInterval = nil
        faults.storeCrashInterval = nil
        faults.storeLoss = 0
        faults.messageLoss = 0
        faults.repetition = 0
        faults.serviceFailure = 0
        faults.clockSkew = .zero
        return faults
    }()
}
#endif
