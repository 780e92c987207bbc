// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace

struct Mailer: Sendable {
    let send: @Sendable (String) -> Void
}

/// Sends a mail once the changes are stored, and again if that fails.
struct SendMail: CQDCommand, DurableCommand {
    static let commandName = "send-mail"
    let text: String
}

@Resolvable
final class SendMailHandler: HandlesCommand {
    private let mailer: Mailer

    func handle(_ command: SendMail) async throws { mailer.send(command.text) }
}

@Resolvable
final class SendConfirmation: HandlesDurableDomainEvent {
    static let subscriptionName = "confirmations"

    private let context: EntityContext

    func handle(_ event: SeatConfirmed) async throws {
        try context.send(SendMail(text: "Seat \(event.seat) is yours, \(event.guest)."))
    }
}

/// Mails the number of confirmed seats.
///
/// A recurring schedule sends it every evening.
struct MailSummary: CQDCommand, DurableCommand {
    static let commandName = "mail-summary"
    let date: Date
}

@Resolvable
final class MailSummaryHandler: HandlesCommand {
    private let context: EntityContext

    func handle(_ command: MailSummary) async throws {
        let count = try await context.fetch(Seat.self).count(where: \.isConfirmed)
        let day = command.date.formatted(.iso8601.year().month().day())
        try context.send(SendMail(text: "\(day): \(count) confirmed"))
    }
}
