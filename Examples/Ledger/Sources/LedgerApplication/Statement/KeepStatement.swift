//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace

/// Keeps the daily statements, for certain and each movement once: what it changes is stored together with the note that
/// the event was delivered.
///
/// The events of an account come one after the other, so no two of these ever change the same statement at once.
public struct KeepStatement: HandlesDurableDomainEvent, Resolvable {
    /// The name under which deliveries are kept.
    public static let subscriptionName = "statement"

    /// The types that a handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    private let context: EntityContext

    /// Takes what the handler needs from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Adds the movements to the statements of their days.
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
