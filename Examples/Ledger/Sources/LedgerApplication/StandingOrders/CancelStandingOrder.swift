// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Headrace

/// A command that cancels a standing order; without effect if the order has ended.
public struct CancelStandingOrder: CQDCommand, Codable {
    /// Whether there is such an order.
    public typealias Output = Bool

    /// The identifier of the standing order.
    public let id: UUID

    /// Creates the command.
    public init(_ id: UUID) {
        self.id = id
    }
}

/// Cancels the standing order.
public final class CancelStandingOrderHandler: HandlesCommand, Resolvable {
    private let context: EntityContext

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Handles the command.
    public func handle(_ command: CancelStandingOrder) async throws -> Bool {
        guard let order = try await context.find(StandingOrder.self, id: command.id) else { return false }
        if order.isOpen { order.cancel() }
        return true
    }
}
