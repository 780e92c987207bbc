// SPDX-License-Identifier: Apache-2.0

public import Headrace

/// Updates the daily statements, exactly once for each event: the changes commit together with the settlement of the
/// delivery.
///
/// The events of an account are delivered one after the other, so two handlers never change the same statement
/// concurrently.
public struct KeepStatement: HandlesDurableDomainEvent, Resolvable {
    /// The name of the subscription in the store.
    public static let subscriptionName = "statement"

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    private let context: EntityContext

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Handles the event.
    public func handle(_ event: AccountMoved) async throws {
        let ids = event.movements.map { DailyStatement.id(of: event.account, in: $0.commodity, on: $0.date) }
        let known = try await context.find(DailyStatement.self, ids: ids)
        let statements = Dictionary(uniqueKeysWithValues: known.map { ($0.id, $0) })
        for (movement, id) in zip(event.movements, ids) {
            let statement: DailyStatement
            if let begun = statements[id] {
                statement = begun
            } else {
                statement = DailyStatement(of: event.account, in: movement.commodity, on: movement.date)
                context.insert(statement)
            }
            try statement.add(movement.change)
        }
    }
}
