// SPDX-License-Identifier: Apache-2.0

#if Tool
import ArgumentParser
import HeadraceRelay

/// Pauses a subscription.
struct PauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Stops the deliveries to a subscription in all programs on the store, until 'resume'.",
        discussion: """
            Handlers that are running end normally. Deliveries wait, and keep their order, their attempts, and their times. The \
            name 'headrace.scheduled' pauses scheduled messages and recurring schedules.
            """
    )

    @Argument(help: "The name of the subscription.") var subscription: String
    @OptionGroup var change: ChangeOption

    func run() async throws {
        try await change.run { open, recorder in
            try await recorder.record("pause", of: [subscription])
            try await Subscriptions(in: open.store).pause(subscription)
            return ChangeReport(1, "subscription", "subscriptions", "paused")
        }
    }
}

/// Resumes a paused subscription.
struct ResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Lets the deliveries to a paused subscription go on."
    )

    @Argument(help: "The name of the subscription.") var subscription: String
    @OptionGroup var change: ChangeOption

    func run() async throws {
        try await change.run { open, recorder in
            try await recorder.record("resume", of: [subscription])
            try await Subscriptions(in: open.store).resume(subscription)
            return ChangeReport(1, "subscription", "subscriptions", "resumed")
        }
    }
}
#endif
