// SPDX-License-Identifier: Apache-2.0

#if Tool
import ArgumentParser
import Foundation
import HeadraceRelay
import HeadraceStorage

/// Lists the deliveries that aren't completed.
struct PendingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pending",
        abstract: "Lists deliveries that aren't completed: waiting, running, scheduled, retried, or unknown ones.",
        discussion: "They are sorted by subscription, and then by the time of the next attempt."
    )

    @Option(
        help: ArgumentHelp("A state: \(stateNames); all by default.", valueName: "state"),
        completion: .list(PendingDelivery.State.allCases.map(\.rawValue)),
        transform: parseState
    )
    var state: PendingDelivery.State?

    @Option(help: "A subscription; all by default.")
    var subscription: String?

    @Option(help: "Maximum number of deliveries.")
    var limit = 100

    @Option(
        help: ArgumentHelp("The cursor of the last delivery on the previous page, from '--json'.", valueName: "cursor"),
        transform: parseCursor
    )
    var after: PendingDelivery.Cursor?

    @OptionGroup var store: StoreOption

    func validate() throws {
        if limit < 1 { throw ValidationError("'--limit' must be at least 1.") }
    }

    private static let stateNames = PendingDelivery.State.allCases.map(\.rawValue).joined(separator: ", ")

    private static func parseState(_ text: String) throws -> PendingDelivery.State {
        guard let state = PendingDelivery.State(rawValue: text) else {
            throw ValidationError("There is no state '\(text)'. Use one of: \(stateNames).")
        }
        return state
    }

    private static func parseCursor(_ text: String) throws -> PendingDelivery.Cursor {
        guard let cursor = PendingDelivery.Cursor(text) else {
            throw ValidationError("'\(text)' is no cursor. Use a member 'cursor' of the output with '--json'.")
        }
        return cursor
    }

    func run() async throws {
        try await store.run { open in
            let page = try await PendingDeliveries(in: open.store)
                .page(in: state, of: subscription, after: after, limit: limit)
            return PendingReport(deliveries: page.map(PendingReport.Delivery.init))
        }
    }
}

/// A page of pending deliveries.
struct PendingReport: Report {
    struct Delivery: Encodable {
        let id: String
        let cursor: String
        let state: String
        let subscription: String
        let attempts: Int
        let nextAttempt: Date?
        let leaseEnd: Date?
        let lastFailure: String?
        let isReplay: Bool
        let message: MessageReport?

        init(_ delivery: PendingDelivery) {
            id = "\(delivery.id)"
            cursor = "\(delivery.cursor)"
            state = delivery.state.rawValue
            subscription = delivery.subscription
            attempts = delivery.attempts
            nextAttempt = delivery.nextAttempt
            leaseEnd = delivery.leaseEnd
            lastFailure = delivery.lastFailure
            isReplay = delivery.isReplay
            message = MessageReport(delivery.content)
        }

        /// The delivery as one line.
        var line: String {
            let date = nextAttempt.map { "  at \($0.text)" } ?? leaseEnd.map { "  leased until \($0.text)" } ?? ""
            let count = attempts == 0 ? "" : attempts == 1 ? "  1 attempt" : "  \(attempts) attempts"
            let failure = lastFailure?.split(separator: "\n", maxSplits: 1).first.map { "  \($0)" } ?? ""
            return "\(id)  \(state)  \(subscription)  \(message?.name ?? "(no longer stored)")\(date)\(count)\(failure)"
        }
    }

    let deliveries: [Delivery]

    var lines: [String] { deliveries.isEmpty ? ["There are no such deliveries."] : deliveries.map(\.line) }
}

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
