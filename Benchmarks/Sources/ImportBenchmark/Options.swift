// SPDX-License-Identifier: Apache-2.0

/// The options of the command line.
struct Options {
    /// An invalid command line.
    struct Mistake: Error, CustomStringConvertible {
        let message: String

        var description: String { message + " Usage: [JOURNAL] [--rounds COUNT] [--import-only]" }
    }

    /// The path of the journal; `nil` to generate a journal.
    private(set) var journal: String?

    private(set) var rounds = 9

    /// Whether the floors are measured too; `false` for a profiler.
    private(set) var hasFloors = true

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--import-only":
                hasFloors = false
            case "--rounds":
                guard let count = rest.popFirst().flatMap({ Int($0) }), count > 0 else {
                    throw Mistake(message: "'--rounds' needs a number greater than 0.")
                }
                rounds = count
            default:
                if argument.hasPrefix("-") || journal != nil {
                    throw Mistake(message: "'\(argument)' is not a valid argument.")
                }
                journal = argument
            }
        }
    }
}
