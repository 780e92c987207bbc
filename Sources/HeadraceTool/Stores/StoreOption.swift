// SPDX-License-Identifier: Apache-2.0

#if Tool
import ArgumentParser
import Foundation
import HeadraceStorage

/// The options for the store and the form of the output.
struct StoreOption: ParsableArguments {
    @Option(
        name: [.customLong("database"), .customShort("d")],
        help: ArgumentHelp(
            "An SQLite file, or the URL of a PostgreSQL database; the environment variable HEADRACE_DATABASE by default.",
            valueName: "path or URL"
        ),
        completion: .file(extensions: ["sqlite", "sqlite3", "db"])
    )
    var location: String?

    @Option(help: "The schema of a PostgreSQL database; 'headrace' by default.")
    var schema: String?

    @Flag(help: "Print JSON for scripts. Its members are stable: later versions only add some.")
    var json = false

    /// Opens the store, runs `operation`, closes the store, and prints the result.
    ///
    /// - Throws: ``ToolFailure``.
    func run<Value: Report>(
        with entities: StoreEntities = .none,
        _ operation: (OpenStore) async throws -> Value
    ) async throws {
        let location = location ?? ProcessInfo.processInfo.environment["HEADRACE_DATABASE"]
        guard let location, !location.isEmpty else { throw ToolFailure.noDatabase }
        let report = try await ToolFailure.translating {
            let open = try await OpenStore(location, schema: schema, entities: entities)
            do {
                let report = try await operation(open)
                try open.store.close()
                return report
            } catch {
                // The first error is more important than an error of closing.
                try? open.store.close()
                throw error
            }
        }
        try report.print(asJSON: json)
    }
}
#endif
