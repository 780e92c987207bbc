// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options of commands that list accounts.
struct AccountOptions: ParsableArguments {
    /// The paragraph of the help about the arguments of these commands.
    static let patterns = """
        A pattern is a part of a name, in upper or lower case, or a regular expression: 'food', '^expenses:(food|rent)$'. An \
        account must match one of the patterns, and none after 'not:', as in 'not:food'.
        """

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
