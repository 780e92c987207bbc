// SPDX-License-Identifier: Apache-2.0

#if Tool
import ArgumentParser

/// Looks for damage in a file.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Looks for damage in an SQLite file. It reads the whole file."
    )

    @OptionGroup var store: StoreOption

    func run() async throws {
        try await store.run { open in
            guard let findDamage = open.findDamage else {
                throw ToolFailure(
                    description: "A PostgreSQL database has its own check. To fix, run 'pg_amcheck' on the server."
                )
            }
            let damage = try await findDamage()
            if damage.isEmpty { return DamageReport(damage: []) }
            throw ToolFailure(
                description: """
                    The file is damaged:
                    \(damage.joined(separator: "\n"))
                    To fix, stop all programs that use it, and restore a backup.
                    """
            )
        }
    }
}

/// The damage of a file.
struct DamageReport: Report {
    let damage: [String]

    var lines: [String] { ["The file has no damage."] }
}
#endif
