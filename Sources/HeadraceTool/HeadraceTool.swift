// SPDX-License-Identifier: Apache-2.0

#if Tool
package import ArgumentParser

/// The command-line tool for the operators of a store.
package struct HeadraceTool: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "headrace",
        abstract: "Shows and repairs the deliveries of a store, in an SQLite file or a PostgreSQL database.",
        discussion: """
            Use the version of the tool that the programs on the store use: a later version can change the tables, and \
            then the programs must be updated too. The tool runs beside the programs.

            Exit codes: 0, success; 1, the command has failed, or 'check' has found damage; 64, wrong arguments.
            """,
        subcommands: [
            StatusCommand.self, PendingCommand.self, DeadLetterCommands.self, PauseCommand.self, ResumeCommand.self,
            ScheduleCommands.self, WorkflowCommands.self,
            ReplayCommand.self, PruneCommand.self, CheckCommand.self, CopyCommand.self,
        ],
        defaultSubcommand: StatusCommand.self
    )

    /// Creates the tool without a command.
    package init() {}
}
#endif
