// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

extension Service {
    /// Turns the errors of the services under the modifier into actions, and sends the actions.
    ///
    /// If the actions are handled, the original send succeeds. If several services fail, each error becomes an action, in the
    /// order written. An error of such an action isn't transformed again, and fails the send. A `CancellationError` isn't
    /// transformed.
    ///
    /// - Parameter transform: Returns the action for an error. If it throws, its error is reported instead.
    /// - Returns: The service with the modifier.
    public func transformError<A: Action>(
        _ transform: @escaping @Sendable (any Error) throws -> A
    ) -> ModifiedService<Self> {
        transforming(into: A.self) { try transform($0) }
    }

    /// Turns errors into actions of several types, or into `nil` to keep an error; see `transformError(_:)`.
    @_disfavoredOverload
    public func transformError(
        _ transform: @escaping @Sendable (any Error) throws -> (any Action)?
    ) -> ModifiedService<Self> {
        transforming(into: nil, transform)
    }

    private func transforming(
        into action: (any Action.Type)?,
        _ transform: @escaping @Sendable (any Error) throws -> (any Action)?
    ) -> ModifiedService<Self> {
        ModifiedService(self) { context in
            let modifier = TreeNode.Modifier.transform(ErrorTransform(at: context.site, transform))
            context.modifiers.append(modifier)
            if let action { context.findings.transformed.append((action, context.path)) }
            let remark = action.map { "turns errors into \(String(shortNaming: $0))" } ?? "turns errors into actions"
            return { TreeNode(.modified($0, modifier), label: .remark(remark)) }
        }
    }
}
