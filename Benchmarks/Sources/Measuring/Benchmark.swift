// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// The command line of a benchmark: measures its figures, or runs one workload for a profiler.
public struct Benchmark: Sendable {
    private let figures: [Figure]

    private let servesMainActor: Bool

    /// Creates a benchmark of these rows.
    ///
    /// - Parameters:
    ///   - figures: The rows.
    ///   - servesMainActor: The same parameter as in ``runToExit(servesMainActor:_:)``.
    public init(_ figures: [Figure], servesMainActor: Bool = false) {
        self.figures = figures
        self.servesMainActor = servesMainActor
    }

    /// Runs the command of the arguments and ends the process.
    ///
    /// Call it from a synchronous `main`.
    public func run(_ arguments: [String] = Array(CommandLine.arguments.dropFirst())) -> Never {
        runToExit(servesMainActor: servesMainActor) { try await perform(Options(arguments)) }
    }

    /// The variant of ``run(_:)`` for workloads on the main actor.
    public func runOnMainActor(_ arguments: [String] = Array(CommandLine.arguments.dropFirst())) -> Never {
        runOnMainActorToExit { try await perform(Options(arguments)) }
    }

    private func perform(_ options: Options) async throws -> Int32 {
        switch options.mode {
        case .list:
            // The number of instructions of concurrent workloads differs from run to run.
            for workload in workloads where !workload.isConcurrent { print(workload.name) }
            return EXIT_SUCCESS
        case .count(let name, let iterations):
            guard let workload = workloads.first(where: { $0.name == name }) else {
                throw Options.Mistake(message: "There is no case '\(name)'. '--list' prints the names of all cases.")
            }
            try await workload.makeLoop()(iterations)
            return EXIT_SUCCESS
        case .measure(let rounds, let isChecked):
            return try await measure(rounds: rounds) || !isChecked ? EXIT_SUCCESS : EXIT_FAILURE
        }
    }

    /// All workloads without duplicates, in the order of the table.
    private var workloads: [Workload] {
        var names: Set<String> = []
        return figures.flatMap { [$0.subject, $0.floor] }.filter { names.insert($0.name).inserted }
    }

    /// Prints the table and returns whether every ratio is within its bound.
    private func measure(rounds: Int) async throws -> Bool {
        var isWithinBounds = true
        print(row("case", "ns", "floor", "ns", "ratio", "spread", "at most"))
        for figure in figures {
            let measurement = try await Measurement(figure, rounds: rounds)
            let isWithinBound = figure.bound.map { measurement.ratio <= $0 } ?? true
            isWithinBounds = isWithinBounds && isWithinBound
            print(
                row(
                    figure.subject.name,
                    decimal(measurement.subject, 1),
                    figure.floor.name,
                    decimal(measurement.floor, 1),
                    decimal(measurement.ratio, 2),
                    decimal(measurement.spread.lowerBound, 2) + " to " + decimal(measurement.spread.upperBound, 2),
                    (figure.bound.map { decimal($0, 2) } ?? "") + (isWithinBound ? "" : "  BEYOND")
                )
            )
        }
        return isWithinBounds
    }

    private func row(_ cells: String...) -> String {
        let widths = [36, 9, 34, 9, 7, 18]
        return zip(cells, widths + [0]).enumerated().map { index, cell in
            let space = String(repeating: " ", count: max(1, cell.1 - cell.0.count))
            return index == 0 || index == 2 ? cell.0 + space : space + cell.0 + "  "
        }.joined()
    }

    private func decimal(_ value: Double, _ places: Int) -> String {
        let unit = places == 1 ? 10 : 100
        let scaled = Int((value * Double(unit)).rounded())
        let fraction = String(scaled % unit)
        return "\(scaled / unit)." + String(repeating: "0", count: places - fraction.count) + fraction
    }
}
