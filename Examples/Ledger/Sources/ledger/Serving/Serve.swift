// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Serves the ledger by an HTTP API and a live web page.
///
/// The parsing needs no server, so the help of a program without the server is the same.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serves the ledger to browsers and other programs.",
        discussion: """
            Prints the address when the server is ready. On an interrupt (Control-C) or a termination signal, it ends \
            within two seconds. The next start continues the imports.

            On any address but a local one, the server needs users: 'ledger token NAME' prints a token, and a file of \
            such lines is the value of '--token-file', or the lines are in the environment variable LEDGER_SERVE_TOKENS, \
            separated by commas. The server has no TLS, so put a proxy with TLS in front of it.

            Each option can also be an environment variable, such as LEDGER_SERVE_ALLOW_HOST, or a member of the JSON file of \
            '--config', such as {"allow-host": ["books.example"], "limits": {"connections": 1000}}. A flag has precedence \
            over a variable, and a variable over the file. The file also has the limits 'connections', 'event-streams', \
            'body-bytes', 'journal-bytes', 'uploads', and 'open-imports'.

            With a PostgreSQL database, several processes on several machines can serve the same ledger.
            """
    )

    @OptionGroup var database: DatabaseOption

    @Option(help: "The port; 0 for any free port. (default: 8080)")
    var port: UInt16?

    @Option(
        help: """
            The address to listen on. If it isn't a local address, other machines can reach the server. (default: 127.0.0.1)
            """)
    var host: String?

    @Option(help: ArgumentHelp("An additional host name of the server; may be repeated.", valueName: "name"))
    var allowHost: [String] = []

    @Option(help: ArgumentHelp("The URL that receives each posted transaction by a POST request.", valueName: "url"))
    var webhook: String?

    @Option(
        help: ArgumentHelp("The file with the users, one 'name:token' in each line.", valueName: "path"),
        completion: .file())
    var tokenFile: String?

    @Flag(
        inversion: .prefixedNo,
        help: "Serve the inspector, too. Its address, with a token, is printed on the standard error.")
    var inspect: Bool?

    @Flag(inversion: .prefixedNo, help: "Allow the inspector to change deliveries, dead letters, and subscriptions.")
    var inspectWrites: Bool?

    @Option(
        help: ArgumentHelp(
            "The folder in which the inspector keeps its messages of the last day. (default: none, in memory only)",
            valueName: "path"),
        completion: .directory)
    var inspectHistory: String?

    @Option(
        help: ArgumentHelp(
            """
            The minimum level of the log on the standard error: trace, debug, info (one line for each request), notice, \
            warning, error, or critical. (default: info)
            """,
            valueName: "level"
        ))
    var logLevel: String?

    @Option(
        help: ArgumentHelp(
            "The configuration file. (default: the environment variable LEDGER_SERVE_CONFIG)", valueName: "path"),
        completion: .file(extensions: ["json"]))
    var config: String?
}

#if !Server
extension Serve {
    func run() async throws { throw CommandFailure.withoutServer }
}

extension Token {
    func run() throws { throw CommandFailure.withoutServer }
}

extension CommandFailure {
    /// The failure of a command that needs the trait `Server` if the program was built without it.
    fileprivate static var withoutServer: CommandFailure {
        CommandFailure(
            "This program was built without the server. To fix, build the ledger with '--traits Server', as Scripts/ledger "
                + "does for the commands 'serve' and 'token'."
        )
    }
}
#endif
