//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What the command line asks for.
struct Options {
    /// A command line that cannot be obeyed.
    struct Mistake: Error, CustomStringConvertible {
        let message: String

        var description: String { message + " Usage: [JOURNAL] [--rounds COUNT] [--import-only]" }
    }

    /// The path of the journal; one is generated where it is `nil`.
    private(set) var journal: String?

    private(set) var rounds = 9

    /// Whether the floors are measured too; a profiler does not want them.
    private(set) var hasFloors = true

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--import-only":
                hasFloors = false
            case "--rounds":
                guard let count = rest.popFirst().flatMap({ Int($0) }), count > 0 else {
                    throw Mistake(message: "'--rounds' needs a count above zero.")
                }
                rounds = count
            default:
                if argument.hasPrefix("-") || journal != nil { throw Mistake(message: "'\(argument)' is no option.") }
                journal = argument
            }
        }
    }
}
