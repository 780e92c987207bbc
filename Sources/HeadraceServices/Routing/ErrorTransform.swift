// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// A `transformError` modifier: turns errors into actions and sends them.
@usableFromInline
final class ErrorTransform: Sendable {
    private let site: ServiceSite
    private let transform: @Sendable (any Error) throws -> (any Action)?

    init(at site: ServiceSite, _ transform: @escaping @Sendable (any Error) throws -> (any Action)?) {
        self.site = site
        self.transform = transform
    }

    /// Sends the action for each error in `error`, and returns when all actions are handled.
    ///
    /// - Throws: ``CollectedFailures`` with the untransformed errors and the errors of the transformation.
    @usableFromInline
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
