// SPDX-License-Identifier: Apache-2.0

#if Simulations
/// A run of a simulation that has failed.
public struct SimulationFailure: Error, Sendable, CustomStringConvertible {
    /// The seed of the run.
    public let seed: UInt64

    /// What has gone wrong.
    public let reasons: [String]

    /// The escapes from the simulation.
    public var escapes: [SimulationEscape] {
        var seen: Set<SimulationEscape> = []
        return noted.map { SimulationEscape(kind: $0.kind, place: $0.place.name) }
            .filter { seen.insert($0).inserted }
    }

    /// The kinds of the escapes.
    package var escapeKinds: Set<SimulationEscape.Kind> { Set(noted.map(\.kind)) }

    private let noted: [Scheduler.Escape]

    /// The names of the faults that have happened, in their order.
    public let faults: [String]

    /// Number of the last step.
    public let step: Int

    let reduction: SimulationReduction
    let isViolation: Bool
    package let clients: Int
    private let text: String

    /// Returns `nil` if the run has not failed.
    init?(_ outcome: Simulation.Outcome, _ reduction: SimulationReduction) {
        if outcome.violations.isEmpty, outcome.escapes.isEmpty { return nil }
        self.init(
            outcome, reduction,
            reasons: outcome.violations.map { violation in
                "step \(violation.step), \(violation.time.seconds): \(violation.text)"
            }, isViolation: !outcome.violations.isEmpty)
    }

    /// Two runs of one seed differ in the step `step`.
    init(
        _ first: Simulation.Outcome, _ second: Simulation.Outcome, differentAt step: Int,
        _ reduction: SimulationReduction
    ) {
        self.init(
            first,
            reduction,
            reasons: [
                """
                Two runs of the seed differ at step \(step). The likely reason is code that depends on the order of a Dictionary or a \
                Set, on an address, or on state that remains from the first run. To fix, make the order explicit, and make all \
                objects in the body of the simulation.
                """
            ],
            isViolation: false
        )
    }

    init(_ seed: UInt64, _ error: any Error) {
        self.seed = seed
        reasons = ["The simulation could not begin: \(error)"]
        noted = []
        faults = []
        step = 0
        reduction = SimulationReduction()
        isViolation = false
        clients = 0
        text = ""
    }

    private init(
        _ outcome: Simulation.Outcome, _ reduction: SimulationReduction, reasons: [String], isViolation: Bool
    ) {
        seed = outcome.seed
        self.reasons = reasons
        noted = outcome.escapes
        faults = outcome.faults
        step = outcome.steps
        self.reduction = reduction
        self.isViolation = isViolation
        clients = min(outcome.clients, reduction.clients ?? .max)
        text = outcome.history.map { node, entries in
            "\(node):\n" + entries.map { "  \($0)\n" }.joined()
        }.joined()
    }

    /// The arguments that repeat the run.
    private var arguments: String {
        var arguments = "seed: \(seed)"
        if reduction.faults != nil {
            arguments += ", only: [\(faults.map { "\"\($0)\"" }.joined(separator: ", "))]"
        }
        if let clients = reduction.clients { arguments += ", clients: \(clients)" }
        return arguments
    }

    /// The reasons, the escapes, the faults, the last messages of each node, and the line that repeats the run.
    public var description: String {
        var lines = ["The simulation with the seed \(seed) fails:"] + reasons
        if !noted.isEmpty { lines += ["Code escapes from the simulation:"] + escapes.map { "  \($0)" } }
        lines.append("Faults: \(faults.isEmpty ? "none" : faults.joined(separator: ", "))")
        if !text.isEmpty { lines.append("The last messages of each node:\n\(text)") }
        lines.append("To repeat this run: try await Simulation.run(\(arguments), …)")
        return lines.joined(separator: "\n")
    }
}
#endif
