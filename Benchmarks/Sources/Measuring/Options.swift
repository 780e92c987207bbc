// SPDX-License-Identifier: Apache-2.0

/// The options of the command line.
struct Options {
    /// An invalid command line.
    struct Mistake: Error, CustomStringConvertible {
        let message: String

        var description: String {
            message + " Usage: [--rounds COUNT] [--check] | --list | --case NAME --iterations COUNT"
        }
    }

    enum Mode {
        /// Prints the names of the workloads.
        case list

        /// Runs one workload and measures nothing: for `Benchmarks/count.py`.
        case count(name: String, iterations: Int)

        /// Prints the table. If `isChecked` is true, a ratio beyond its bound is a failure.
        case measure(rounds: Int, isChecked: Bool)
    }

    let mode: Mode

    init(_ arguments: [String]) throws {
        var rounds = 31
        var isChecked = false
        var isListed = false
        var name: String?
        var iterations: Int?
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--check": isChecked = true
            case "--list": isListed = true
            case "--rounds": rounds = try Self.count(after: argument, in: &rest)
            case "--iterations": iterations = try Self.count(after: argument, in: &rest)
            case "--case": name = rest.popFirst()
            default: throw Mistake(message: "'\(argument)' is not an option.")
            }
        }

        switch (name, iterations) {
        case (let name?, let iterations?): mode = .count(name: name, iterations: iterations)
        case (nil, nil): mode = isListed ? .list : .measure(rounds: rounds, isChecked: isChecked)
        default: throw Mistake(message: "'--case' and '--iterations' must be used together.")
        }
    }

    private static func count(after option: String, in rest: inout ArraySlice<String>) throws -> Int {
        guard let count = rest.popFirst().flatMap({ Int($0) }), count > 0 else {
            throw Mistake(message: "'\(option)' needs a number greater than 0.")
        }
        return count
    }
}
