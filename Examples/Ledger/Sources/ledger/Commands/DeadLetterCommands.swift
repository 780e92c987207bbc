// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Headrace

/// Manages dead letters: events that couldn't be delivered.
struct DeadLetterCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dead-letters",
        abstract: "Lists, replays, or discards dead letters: events that couldn't be delivered.",
        discussion: """
            If the handler of an event fails too often, the event becomes a dead letter, so that the events after it can \
            be delivered. Find the reason with 'show', remove it, and queue the event again with 'replay'. The next \
            program that delivers events from the database delivers it.
            """,
        subcommands: [List.self, Show.self, Replay.self, Discard.self],
        defaultSubcommand: List.self
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists dead letters, the oldest first (the default).")

        @Option(help: "A subscription; all subscriptions by default.")
        var subscription: String?

        @OptionGroup var database: DatabaseOption

        func run() async throws {
            try await LedgerSession.with(database: database.location, for: .reading) { [subscription] session in
                var isEmpty = true
                var last: Int64 = 0
                while true {
                    let page = try await CommandFailure.telling { [last] in
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
        static let configuration = CommandConfiguration(abstract: "Prints all details of a dead letter.")

        @Argument(help: "The number of the dead letter, from 'ledger dead-letters'.")
        var number: Int64

        @OptionGroup var database: DatabaseOption

        func run() async throws {
            try await LedgerSession.with(database: database.location, for: .reading) { [number] session in
                let letter = try await CommandFailure.telling { try await session.deadLetters.find(number) }
                guard let letter else { throw CommandFailure.noDeadLetters([number]) }
                printLines(Report.lines(of: letter))
            }
        }
    }

    struct Replay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Queues dead letters for delivery. If a number is unknown, it queues none."
        )

        @OptionGroup var choice: DeadLetterChoice
        @OptionGroup var database: DatabaseOption

        func run() async throws {
            let count = try await LedgerSession.with(database: database.location) { [choice] session in
                if let subscription = choice.allOf {
                    return try await CommandFailure.telling {
                        try await session.deadLetters.replayAll(of: subscription)
                    }
                }
                try await session.requireDeadLetters(choice.numbers)
                return try await CommandFailure.telling { try await session.deadLetters.replay(choice.numbers) }
            }
            print("\(Report.count(count, "dead letter")) will be delivered again.")
        }
    }

    struct Discard: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Deletes dead letters. If a number is unknown, it deletes none."
        )

        @Argument(help: ArgumentHelp("The numbers of the dead letters.", valueName: "number"))
        var numbers: [Int64]

        @OptionGroup var database: DatabaseOption

        func run() async throws {
            let count = try await LedgerSession.with(database: database.location) { [numbers] session in
                try await session.requireDeadLetters(numbers)
                return try await CommandFailure.telling { try await session.deadLetters.discard(numbers) }
            }
            print("\(Report.count(count, "dead letter")) discarded.")
        }
    }
}

/// The numbers of dead letters, or a subscription.
struct DeadLetterChoice: ParsableArguments {
    @Argument(help: ArgumentHelp("The numbers of the dead letters.", valueName: "number"))
    var numbers: [Int64] = []

    @Option(help: ArgumentHelp("A subscription, instead of numbers.", valueName: "subscription"))
    var allOf: String?

    func validate() throws {
        if numbers.isEmpty == (allOf == nil) {
            throw ValidationError("There must be either numbers of dead letters or '--all-of SUBSCRIPTION'.")
        }
    }
}

extension LedgerSession {
    /// Throws if there is no dead letter for one of `numbers`.
    fileprivate func requireDeadLetters(_ numbers: [Int64]) async throws {
        var unknown: [Int64] = []
        for number in numbers {
            let letter = try await CommandFailure.telling { try await deadLetters.find(number) }
            if letter == nil { unknown.append(number) }
        }
        if !unknown.isEmpty { throw CommandFailure.noDeadLetters(unknown) }
    }
}

extension CommandFailure {
    fileprivate static func noDeadLetters(_ numbers: [Int64]) -> CommandFailure {
        let list = numbers.map { "\($0)" }.joined(separator: ", ")
        return numbers.count == 1
            ? CommandFailure("There is no dead letter \(list). To fix, use a number from 'ledger dead-letters'.")
            : CommandFailure("There are no dead letters \(list). To fix, use numbers from 'ledger dead-letters'.")
    }
}
