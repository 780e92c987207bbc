// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

extension Service {
    /// Dispatches a message, for example a command, after the services under the modifier have handled an action of this type.
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
    /// If a service fails, nothing is dispatched. An error of `dispatch` counts as an error of the services.
    ///
    /// - Parameters:
    ///   - type: The exact type of the actions.
    ///   - makeMessage: Returns the message, or `nil` to dispatch nothing.
    ///   - dispatch: Dispatches the message.
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
