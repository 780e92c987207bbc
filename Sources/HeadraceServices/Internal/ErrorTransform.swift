//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// Turns errors into actions, and sends them.
@usableFromInline
final class ErrorTransform: Sendable {
    private let site: PlanSite
    private let transform: @Sendable (any Error) throws -> (any Action)?

    init(at site: PlanSite, _ transform: @escaping @Sendable (any Error) throws -> (any Action)?) {
        self.site = site
        self.transform = transform
    }

    /// Sends what becomes of each error in `error`, and returns where all of that is handled.
    ///
    /// - Throws: ``Failures`` with what it leaves as it is, and with what goes wrong.
    @usableFromInline
    nonisolated(nonsending) func apply(to error: any Error, _ frame: SendFrame) async throws {
        if frame.isTransformed { throw error }
        var left: [Failures.Entry] = []
        for entry in Failures.entries(of: error) {
            if entry.isFinal || entry.error is CancellationError {
                left.append(entry)
                continue
            }
            do {
                var action: (any Action)?
                try await site.scoped(frame) { action = try transform(entry.error) }
                guard let action else {
                    left.append(entry)
                    continue
                }
                try await site.send.within(frame.transformed)(action: action)
            } catch {
                left.append(Failures.Entry(error: error, isFinal: true))
            }
        }
        if !left.isEmpty { throw Failures(left) }
    }
}
