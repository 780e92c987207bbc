// SPDX-License-Identifier: Apache-2.0

#if Simulation
/// What a smaller run of a seed leaves out.
struct SimulationReduction: Hashable, Sendable {
    /// The names of the faults that don't happen.
    var suppressed: Set<String> = []

    /// Maximum number of clients; `nil` for all.
    var clients: Int?
}
#endif
