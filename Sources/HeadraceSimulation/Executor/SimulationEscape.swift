// SPDX-License-Identifier: Apache-2.0

#if Simulations
/// Something in the code of a simulation that differs from run to run, or that the simulation can't see.
public struct SimulationEscape: Hashable, Sendable, CustomStringConvertible {
    /// The kinds of escape.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The code has read a real clock: `Date()`, `ContinuousClock.now`.
        case realClock = "reads a real clock"

        /// The code sleeps on a real clock: `Task.sleep`.
        case realSleep = "sleeps on a real clock"

        /// The code has drawn real random numbers: `UUID()`, `Int.random(in:)`.
        case realRandomNumbers = "draws random numbers of the system"

        /// The code blocks its thread, and with it the simulation.
        case blocking = "blocks its thread"

        /// The code connects to a server.
        case network = "opens a connection"

        /// The code has started a thread.
        case newThread = "starts a thread"

        /// A thread outside of the simulation has resumed a task of it.
        case foreignThread = "is resumed by a thread outside of the simulation"

        /// What to do instead.
        var remedy: String {
            switch self {
            case .realClock: "read 'SystemValues.current.date()' or the clock of 'SystemValues.current'"
            case .realSleep: "sleep on 'SystemValues.current.clock'"
            case .realRandomNumbers: "use 'SystemValues.current.uuid()' and 'SystemValues.current.randomNumbers'"
            case .blocking: "await instead of blocking"
            case .network: "replace the dependency by a 'SimulatedService'"
            case .newThread, .foreignThread: "replace the dependency that has its own thread"
            }
        }
    }

    /// The kind of escape.
    public let kind: Kind

    /// The name of the function that escaped.
    public let place: String

    /// The escape, its place, and what to do instead.
    public var description: String { "\(place) \(kind.rawValue). To fix, \(kind.remedy)." }
}
#endif
