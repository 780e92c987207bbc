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
            let modifier = ServiceNode.Modifier.transform(ErrorTransform(at: context.site, into: action, transform))
            context.modifiers.append(modifier)
            if let action { context.findings.transformed.append((action, context.path)) }
            return { ServiceNode(.modified($0, modifier)) }
        }
    }
}

/// A `transformError` modifier: turns errors into actions and sends them.
final class ErrorTransform: Sendable {
    /// The action type that errors become, or `nil` if there are several.
    let actionType: (any Action.Type)?

    private let site: ServiceSite
    private let transform: @Sendable (any Error) throws -> (any Action)?

    init(
        at site: ServiceSite,
        into actionType: (any Action.Type)?,
        _ transform: @escaping @Sendable (any Error) throws -> (any Action)?
    ) {
        self.site = site
        self.actionType = actionType
        self.transform = transform
    }

    /// Sends the action for each error in `error`, and returns when all actions are handled.
    ///
    /// - Throws: ``CollectedFailures`` with the untransformed errors and the errors of the transformation.
    nonisolated(nonsending) func apply(to error: any Error, _ frame: SendFrame) async throws {
        if frame.isTransformed { throw error }
        var left: [CollectedFailures.Item] = []
        for item in CollectedFailures.items(of: error) {
            if item.isFinal || item.error is CancellationError {
                left.append(item)
                continue
            }
            do {
                var action: (any Action)?
                try await site.scoped(frame) { action = try transform(item.error) }
                guard let action else {
                    left.append(item)
                    continue
                }
                try await site.send.within(frame.transformed)(action: action)
            } catch {
                left.append(CollectedFailures.Item(error: error, isFinal: true))
            }
        }
        if !left.isEmpty { throw CollectedFailures(left) }
    }
}
