// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Headrace
public import LedgerBooks

/// A command that places a standing order; its first payment is due at once.
///
/// Placing the same order again has no effect. Another order with the same identifier is refused with the `StoreError` code
/// `alreadyExists`. The handler throws ``StandingOrderRefusal`` if a number is out of its range, and `PostingRefusal` if
/// the transaction can never be posted, mostly because it isn't balanced.
public struct PlaceStandingOrder: CQDCommand, Codable {
    /// The identifier of the standing order.
    public let id: UUID

    /// The transaction to post; each payment has its own date.
    public let draft: TransactionDraft

    /// Number of payments, at least 1.
    public let count: Int

    /// The time between two payments, in whole seconds and at least one.
    public let interval: Duration

    /// Creates the command.
    public init(_ draft: TransactionDraft, count: Int, every interval: Duration, id: UUID = .version7()) {
        self.id = id
        self.draft = draft
        self.count = count
        self.interval = interval
    }
}

/// Places the standing order.
public final class PlaceStandingOrderHandler: HandlesCommand, Resolvable {
    private let context: EntityContext

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Handles the command.
    public func handle(_ command: PlaceStandingOrder) async throws {
        guard command.count >= 1 else { throw StandingOrderRefusal.count(command.count) }
        let (seconds, fraction) = command.interval.components
        guard seconds >= 1, fraction == 0 else { throw StandingOrderRefusal.interval(command.interval) }
        // A transaction that isn't stored, to find out now whether one can be posted.
        _ = try Transaction(posting: command.draft)
        let known = try await context.find(StandingOrder.self, id: command.id)
        if let known, known.isPlaced(by: command) { return }
        context.insert(
            StandingOrder(command.id, paying: command.draft, count: command.count, everySeconds: Int(seconds))
        )
    }
}

extension StandingOrder {
    /// Whether `command` places this order.
    fileprivate func isPlaced(by command: PlaceStandingOrder) -> Bool {
        let seconds = Int(command.interval.components.seconds)
        return draft == command.draft && count == command.count && intervalSeconds ?? seconds == seconds
    }
}
