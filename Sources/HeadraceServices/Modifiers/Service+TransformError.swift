//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

extension Service {
    /// Turns the errors of the services under it into actions, and sends them.
    ///
    /// What a service could not do is then done, as far as the sender can tell. Of services that fail at the same time, each
    /// error is turned into an action, in the order written. While such an action is handled nothing is
    /// transformed any more: where that fails, so does the send. A `CancellationError` is not transformed.
    ///
    /// - Parameter transform: Makes the action. What it throws is reported instead of the error.
    /// - Returns: The service with the modifier.
    public func transformError<A: Action>(
        _ transform: @escaping @Sendable (any Error) throws -> A
    ) -> ModifiedService<Self> {
        transforming(into: A.self) { try transform($0) }
    }

    /// As `transformError(_:)`, into actions of several types, or into `nil` where the error is to stay.
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
            let surrounding = Surrounding.transform(ErrorTransform(at: context.site, transform))
            context.surroundings.append(surrounding)
            if let action { context.collector.transformed.append((action, context.path)) }
            let remark = action.map { "turns errors into \(TypeNames.short($0))" } ?? "turns errors into actions"
            return { surrounding.node(around: $0, label: .remark(remark)) }
        }
    }
}
