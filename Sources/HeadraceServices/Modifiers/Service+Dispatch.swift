//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

extension Service {
    /// Dispatches what an action of this type asks for, as soon as the services under it have handled the action.
    ///
    /// ```swift
    /// CartService()
    ///     .dispatch(on: CheckOut.self) { action in
    ///         PlaceOrder(id: action.orderID)
    ///     } with: { command in
    ///         try await dispatcher.dispatch(command)
    ///     }
    /// ```
    ///
    /// Where the services fail nothing is dispatched. What dispatching throws counts as their error.
    ///
    /// - Parameters:
    ///   - type: The type of the actions, exactly this one.
    ///   - makeMessage: Makes what is dispatched, or `nil` for nothing.
    ///   - dispatch: Dispatches it.
    /// - Returns: The service with the modifier.
    public func dispatch<A: Action, Message: Sendable>(
        on type: A.Type,
        _ makeMessage: @escaping @Sendable (A) -> Message?,
        with dispatch: nonisolated(nonsending) @escaping @Sendable (Message) async throws -> Void
    ) -> ModifiedService<Self> {
        post(on: type) { action, outcome in
            guard case .success = outcome, let message = makeMessage(action) else { return }
            try await dispatch(message)
        }
    }
}
