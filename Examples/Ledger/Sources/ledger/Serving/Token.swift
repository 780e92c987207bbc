// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

#if Server
import Headrace
import HeadraceHummingbird
#endif

/// Prints a new token for a user of the server.
struct Token: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints a new token for a user of 'ledger serve'.",
        discussion: """
            Append the line to the file of '--token-file', which only the user of the server should be able to read:

                ledger token ada >> ledger.tokens

            The text after the colon is the token, for the sign-in of the page and for programs.
            """
    )

    @Argument(help: "The name of the user.")
    var name: String
}

#if Server
extension Token {
    func run() throws {
        let token = TokenUser.makeToken()
        let user = try CommandFailure.telling { try TokenUser(name, token: token) }
        print("\(user.name):\(token)")
    }
}
#endif
