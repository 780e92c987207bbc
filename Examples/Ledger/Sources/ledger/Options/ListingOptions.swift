// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options of commands that list accounts.
struct AccountOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Sum accounts with more levels than this number into their parents.", valueName: "number"))
    var depth: Int?

    @Flag(help: "List each account below its parent. The amounts of a parent include its subaccounts.")
    var tree = false

    func validate() throws {
        if let depth, depth < 1 { throw ValidationError("The depth is \(depth). To fix, use 1 or more.") }
    }
}

/// The option of all commands that list something.
struct FormatOption: ParsableArguments {
    /// An output format.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case table, csv, json
    }

    @Option(help: "The output format.")
    var format: Format = .table
}
