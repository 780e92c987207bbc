// SPDX-License-Identifier: Apache-2.0

#if Simulations
import Foundation
import LedgerApplication
import LedgerBooks
import Synchronization

/// The messages that the clients of a simulation have sent, and the answers that they received.
final class LedgerRecord: Sendable {
    /// The content of a record.
    struct Content: Sendable {
        /// The drafts of all sent transactions, by description.
        var sent: [String: TransactionDraft] = [:]

        /// The identifiers of acknowledged transactions, by description.
        var acknowledged: [String: UUID] = [:]

        /// The transactions whose reversal was sent.
        var reversing: Set<UUID> = []

        /// The identifiers of acknowledged reversals, by transaction.
        var reversals: [UUID: UUID] = [:]

        /// The drafts of imported transactions, by description.
        var imported: [String: TransactionDraft] = [:]

        /// The standing orders.
        var orders: [PlaceStandingOrder] = []
    }

    private let state = Mutex(Content())

    /// The content.
    var content: Content { state.withLock(\.self) }

    func noteSent(_ draft: TransactionDraft) {
        state.withLock { $0.sent[draft.description] = draft }
    }

    func noteAcknowledged(_ draft: TransactionDraft, _ id: UUID) {
        state.withLock { $0.acknowledged[draft.description] = id }
    }

    func noteReversing(_ id: UUID) {
        state.withLock { _ = $0.reversing.insert(id) }
    }

    func noteReversed(_ id: UUID, by reversal: UUID) {
        state.withLock { $0.reversals[id] = reversal }
    }

    func noteImported(_ draft: TransactionDraft) {
        state.withLock { $0.imported[draft.description] = draft }
    }

    func notePlaced(_ order: PlaceStandingOrder) {
        state.withLock { $0.orders.append(order) }
    }
}
#endif
