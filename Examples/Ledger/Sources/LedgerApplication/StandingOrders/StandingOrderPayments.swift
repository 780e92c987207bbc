// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Headrace
import LedgerBooks

/// The process that makes the payments of one standing order.
///
/// A payment that is refused is retried after 1 hour and after 4 hours. After the third refusal, the order needs attention, and the
/// payment is retried each day. After the seventh refusal, the process gives up. An attempt without an answer within a
/// day counts as refused. If its refusal arrives later, it doesn't count again.
public struct StandingOrderPayments: DurableProcess {
    /// The name of the process in the store.
    public static let processName = "standing-order-payments"

    /// The commands that the process sends.
    public static let commands: [any DurableCommand.Type] = [
        PayStandingOrder.self, EscalateStandingOrder.self, GiveUpStandingOrder.self,
    ]

    /// The steps.
    public enum Step: String, Sendable, Codable {
        case waiting, paying, retrying, escalated, finished, cancelled, givenUp
    }

    /// The time-outs: the next payment, the next attempt at a payment, and the end of the wait for an answer.
    public enum Timeout: String, CaseIterable, Sendable {
        case due, retry, answer
    }

    /// Number of refusals after which the order needs attention.
    public static let escalationLimit = 3

    /// Number of refusals after which the process gives up.
    public static let refusalLimit = 7

    /// The identifier of the standing order.
    public let order: UUID

    /// The current step.
    public private(set) var step = Step.waiting

    /// Number of the current payment, counting from 1; 0 before the first.
    public private(set) var payment = 0

    /// Number of refusals of the current payment.
    public private(set) var refusals = 0

    private var draft: TransactionDraft?
    private var count = 0
    private var interval = 0

    /// The time at which the current payment was due first.
    private var due = Date(timeIntervalSince1970: 0)

    /// Creates the state of a new process.
    public init(key order: UUID) {
        self.order = order
    }

    /// The reactions.
    public static let reactions: [ProcessReaction<StandingOrderPayments>] = [
        .start(on: StandingOrderPlaced.self, by: \.order) { process, event, context in
            (process.draft, process.count, process.interval) = (event.draft, event.count, event.intervalSeconds)
            process.due = context.now
            context.setTimeout(.due, at: context.now)
        },
        .onTimeout(.due) { process, context in
            process.payment += 1
            process.step = .paying
            process.pay(&context)
        },
        .onTimeout(.retry) { process, context in process.pay(&context) },
        .on(StandingOrderPaid.self, by: \.order) { process, event, context in
            guard event.payment == process.payment else { return }
            context.cancelTimeout(.answer)
            context.cancelTimeout(.retry)
            process.refusals = 0
            if process.payment == process.count {
                process.step = .finished
                return context.end()
            }
            process.step = .waiting
            process.due = process.due.addingTimeInterval(Double(process.interval))
            context.setTimeout(.due, at: process.due)
        },
        .on(StandingOrderRefused.self, by: \.order) { process, event, context in
            let isCurrent = event.payment == process.payment && event.attempt ?? process.attempt == process.attempt
            if isCurrent { process.noteRefusal(&context) }
        },
        .onTimeout(.answer) { process, context in process.noteRefusal(&context) },
        .on(StandingOrderCancelled.self, by: \.order) { process, _, context in
            process.step = .cancelled
            context.end()
        },
    ]

    /// Number of the current attempt at the payment, counting from 1.
    private var attempt: Int { refusals + 1 }

    private func pay(_ context: inout ProcessContext<Self>) {
        guard let draft else { return }
        context.send(
            PayStandingOrder(order: order, payment: payment, attempt: attempt, draft: draft, date: context.now)
        )
        context.setTimeout(.answer, after: .seconds(86_400))
    }

    private mutating func noteRefusal(_ context: inout ProcessContext<Self>) {
        context.cancelTimeout(.answer)
        refusals += 1
        if refusals == Self.refusalLimit {
            step = .givenUp
            context.send(GiveUpStandingOrder(order: order))
            return context.end()
        }
        if refusals < Self.escalationLimit {
            step = .retrying
            return context.setTimeout(.retry, after: .seconds(refusals == 1 ? 3_600 : 4 * 3_600))
        }
        if refusals == Self.escalationLimit {
            step = .escalated
            context.send(EscalateStandingOrder(order: order, payment: payment))
        }
        context.setTimeout(.retry, after: .seconds(86_400))
    }
}
