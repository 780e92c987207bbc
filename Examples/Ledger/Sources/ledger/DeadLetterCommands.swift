//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import Headrace

/// Looks after the events that could not be delivered.
struct DeadLetterCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dead-letters",
        abstract: "Lists what could not be delivered, and delivers it again or discards it.",
        discussion: """
            An event whose handler has failed too often is put aside, so that those behind it go on. Find out why \
            with 'show', mend that, and have it delivered again with 'replay': the next program that delivers from the \
            database does so.
            """,
        subcommands: [List.self, Show.self, Replay.self, Discard.self],
        defaultSubcommand: List.self
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists dead letters, the oldest first (the default).")

        @Option(help: "Only those of this subscription.")
        var subscription: String?

        @OptionGroup var database: DatabaseOption

        func run() async throws {
            let session = try Session(database: database.path)
            var isEmpty = true
            var last: Int64 = 0
            while true {
                let page = try await Failure.telling { [subscription] in
                    try await session.deadLetters.page(after: last, of: subscription)
                }
                guard let end = page.last else { break }
                printLines(page.map(Report.line))
                last = end.id
                isEmpty = false
            }
            if isEmpty { print("There are no dead letters.") }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints all that is known of a dead letter.")

        @Argument(help: "The number of the dead letter, as 'dead-letters' lists it.")
        var number: Int64

        @OptionGroup var database: DatabaseOption

        func run() async throws {
            let session = try Session(database: database.path)
            let letter = try await Failure.telling { [number] in try await session.deadLetters.find(number) }
            guard let letter else { throw Failure.noDeadLetter(number) }
            printLines(Report.lines(of: letter))
        }
    }

    struct Replay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Has dead letters delivered again.")

        @OptionGroup var choice: DeadLetterChoice
        @OptionGroup var database: DatabaseOption

        func run() async throws {
            let session = try Session(database: database.path)
            let count = try await Failure.telling { [choice] in
                if let subscription = choice.allOf {
                    return try await session.deadLetters.replayAll(of: subscription)
                }
                return try await session.deadLetters.replay(choice.numbers)
            }
            print("\(Report.count(count, "dead letter")) will be delivered again.")
        }
    }

    struct Discard: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Forgets dead letters for good.")

        @Argument(help: ArgumentHelp("The numbers of the dead letters.", valueName: "number"))
        var numbers: [Int64]

        @OptionGroup var database: DatabaseOption

        func run() async throws {
            let session = try Session(database: database.path)
            let count = try await Failure.telling { [numbers] in try await session.deadLetters.discard(numbers) }
            print("\(Report.count(count, "dead letter")) discarded.")
        }
    }
}

/// Some dead letters, or all of a subscription.
struct DeadLetterChoice: ParsableArguments {
    @Argument(help: ArgumentHelp("The numbers of the dead letters.", valueName: "number"))
    var numbers: [Int64] = []

    @Option(help: ArgumentHelp("All of this subscription, instead of numbers.", valueName: "subscription"))
    var allOf: String?

    func validate() throws {
        if numbers.isEmpty == (allOf == nil) {
            throw ValidationError("Either numbers of dead letters or --all-of SUBSCRIPTION must be given.")
        }
    }
}

extension Failure {
    fileprivate static func noDeadLetter(_ number: Int64) -> Failure {
        Failure("There is no dead letter \(number). To fix, take a number that 'ledger dead-letters' lists.")
    }
}
