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
            try await Session.with(database: database.path, for: .reading) { [subscription] session in
                var isEmpty = true
                var last: Int64 = 0
                while true {
                    let page = try await Failure.telling { [last] in
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
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints all that is known of a dead letter.")

        @Argument(help: "The number of the dead letter, as 'dead-letters' lists it.")
        var number: Int64

        @OptionGroup var database: DatabaseOption

        func run() async throws {
            try await Session.with(database: database.path, for: .reading) { [number] session in
                let letter = try await Failure.telling { try await session.deadLetters.find(number) }
                guard let letter else { throw Failure.noDeadLetters([number]) }
                printLines(Report.lines(of: letter))
            }
        }
    }

    struct Replay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delivers dead letters again: all that are named, or none if a number is unknown."
        )

        @OptionGroup var choice: DeadLetterChoice
        @OptionGroup var database: DatabaseOption

        func run() async throws {
            let count = try await Session.with(database: database.path) { [choice] session in
                if let subscription = choice.allOf {
                    return try await Failure.telling { try await session.deadLetters.replayAll(of: subscription) }
                }
                try await session.requireDeadLetters(choice.numbers)
                return try await Failure.telling { try await session.deadLetters.replay(choice.numbers) }
            }
            print("\(Report.count(count, "dead letter")) will be delivered again.")
        }
    }

    struct Discard: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Discards dead letters for good: all that are named, or none if a number is unknown."
        )

        @Argument(help: ArgumentHelp("The numbers of the dead letters.", valueName: "number"))
        var numbers: [Int64]

        @OptionGroup var database: DatabaseOption

        func run() async throws {
            let count = try await Session.with(database: database.path) { [numbers] session in
                try await session.requireDeadLetters(numbers)
                return try await Failure.telling { try await session.deadLetters.discard(numbers) }
            }
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

extension Session {
    /// Requires a dead letter for each of `numbers`, so that a wrong number among them changes nothing.
    fileprivate func requireDeadLetters(_ numbers: [Int64]) async throws {
        var unknown: [Int64] = []
        for number in numbers {
            let letter = try await Failure.telling { try await deadLetters.find(number) }
            if letter == nil { unknown.append(number) }
        }
        if !unknown.isEmpty { throw Failure.noDeadLetters(unknown) }
    }
}

extension Failure {
    fileprivate static func noDeadLetters(_ numbers: [Int64]) -> Failure {
        let list = numbers.map { "\($0)" }.joined(separator: ", ")
        return numbers.count == 1
            ? Failure("There is no dead letter \(list). To fix, take a number that 'ledger dead-letters' lists.")
            : Failure("There are no dead letters \(list). To fix, take numbers that 'ledger dead-letters' lists.")
    }
}
