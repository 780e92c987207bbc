// SPDX-License-Identifier: Apache-2.0

#if Tool
import ArgumentParser
import HeadraceRelay
import HeadraceStorage

/// Lists, shows, replays, and discards dead letters.
struct DeadLetterCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dead-letters",
        abstract: "Lists, shows, replays, or discards dead letters: messages that couldn't be delivered.",
        subcommands: [List.self, Show.self, Replay.self, Discard.self],
        defaultSubcommand: List.self
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists dead letters, the oldest first (the default).")

        @Option(help: "A subscription; all by default.")
        var subscription: String?

        @Option(help: "Maximum number of dead letters.")
        var limit = 100

        @Option(help: "The ID after which the list begins, from the end of the previous page.")
        var after: Int64 = 0

        @OptionGroup var store: StoreOption

        func validate() throws {
            if limit < 1 { throw ValidationError("'--limit' must be at least 1.") }
        }

        func run() async throws {
            try await store.run { open in
                let letters = DeadLetters(in: open.store)
                let page = try await letters.page(after: after, of: subscription, limit: limit)
                return DeadLetterList(deadLetters: page.map(DeadLetterReport.init))
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints everything about a dead letter.")

        @Argument(help: "The ID of the dead letter.")
        var id: Int64

        @OptionGroup var store: StoreOption

        func run() async throws {
            try await store.run { open in
                guard let letter = try await DeadLetters(in: open.store).find(id) else {
                    throw ToolFailure.unknownDeadLetters([id])
                }
                return DeadLetterReport(letter)
            }
        }
    }

    struct Replay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delivers dead letters again. If an ID is unknown, it changes nothing.",
            discussion: """
                '--content' corrects the content of one dead letter before. The event in the log stays as it is, and other \
                subscriptions don't receive the corrected content. The tool checks only that it is JSON: if the program can't \
                decode it, it becomes a dead letter again. The record of the operation has both contents.
                """
        )

        @Argument(help: ArgumentHelp("The IDs of the dead letters.", valueName: "id"))
        var ids: [Int64] = []

        @Option(help: ArgumentHelp("A subscription, instead of IDs.", valueName: "subscription"))
        var allOf: String?

        @Option(
            help: ArgumentHelp(
                "A file with the corrected content of one dead letter as JSON; '-' for the standard input.",
                valueName: "file"),
            completion: .file()
        )
        var content: String?

        @OptionGroup var change: ChangeOption

        func validate() throws {
            if ids.isEmpty == (allOf == nil) {
                throw ValidationError("Name either IDs of dead letters, or '--all-of SUBSCRIPTION'.")
            }
            if content != nil, ids.count != 1 { throw ValidationError("Name one ID with '--content'.") }
        }

        func run() async throws {
            try await change.run { open, recorder in
                let letters = DeadLetters(in: open.store)
                let count: Int
                if let allOf {
                    try await recorder.record("replay all dead letters", of: [allOf])
                    count = try await letters.replayAll(of: allOf)
                } else if let content {
                    let json = try ToolFailure.contents(of: content)
                    for id in ids { try await letters.replay(id, correctedTo: json, by: recorder.operatorName) }
                    count = ids.count
                } else {
                    try await letters.require(ids)
                    try await recorder.record("replay dead letters", of: ids.map { "\($0)" })
                    count = try await letters.replay(ids)
                }
                return ChangeReport(count, "dead letter", "dead letters", "will be delivered again")
            }
        }
    }

    struct Discard: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Deletes dead letters for good. If an ID is unknown, it changes nothing."
        )

        @Argument(help: ArgumentHelp("The IDs of the dead letters.", valueName: "id"))
        var ids: [Int64]

        @OptionGroup var change: ChangeOption

        func run() async throws {
            try await change.run { open, recorder in
                let letters = DeadLetters(in: open.store)
                try await letters.require(ids)
                try await recorder.record("discard dead letters", of: ids.map { "\($0)" })
                let count = try await letters.discard(ids)
                return ChangeReport(count, "dead letter", "dead letters", "discarded")
            }
        }
    }
}

extension DeadLetters {
    /// Throws ``ToolFailure`` if one of `ids` is unknown.
    fileprivate func require(_ ids: [Int64]) async throws {
        var unknown: [Int64] = []
        for id in ids where try await find(id) == nil { unknown.append(id) }
        if !unknown.isEmpty { throw ToolFailure.unknownDeadLetters(unknown) }
    }
}

/// Delivers events of the log to a subscription again.
struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Delivers events of the log to a subscription again, marked as a replay.",
        discussion: """
            The tool doesn't know which events a subscription handles, so name all of them. A handler that isn't ready \
            for repeated events repeats its effects, such as mails. A durable process ignores replayed events.
            """
    )

    @Argument(help: "The name of the subscription.")
    var subscription: String

    @Option(name: .customLong("event"), help: ArgumentHelp("The name of an event; once for each.", valueName: "name"))
    var events: [String]

    @Option(help: "The position in the log after which the replay begins.")
    var after: Int64 = 0

    @OptionGroup var change: ChangeOption

    func validate() throws {
        if events.isEmpty { throw ValidationError("Name at least one event: '--event NAME'.") }
        if after < 0 { throw ValidationError("'--after' must not be negative.") }
    }

    func run() async throws {
        try await change.run { open, recorder in
            // The store would create it.
            let known = try await open.store.deliveryStatistics().subscriptions.map(\.name)
            if !known.contains(subscription) { throw ToolFailure.unknownSubscription(subscription, known: known) }
            try await recorder.record("replay", of: [subscription])
            let count = try await open.store.replay(subscription, eventsNamed: Set(events), after: after)
            return ChangeReport(count, "event", "events", "will be delivered again")
        }
    }
}
#endif
