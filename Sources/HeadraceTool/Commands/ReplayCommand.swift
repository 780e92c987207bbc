// SPDX-License-Identifier: Apache-2.0

#if Tool
import ArgumentParser
import HeadraceStorage

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
