//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A scope of work that succeeds or fails as a whole, such as a unit of work.
///
/// No part of it can be retried alone, because a failed part may have left changes that only a rollback of the whole
/// scope reverts.
package enum AtomicScope {
    @TaskLocal private static var owner: TaskIdentity?

    /// Whether the current task is in an atomic scope.
    ///
    /// A child task isn't in the scope of its parent, unless it represents the parent (``TaskIdentity``).
    package static var isCurrent: Bool {
        guard let owner else { return false }
        return owner == .current
    }

    /// Runs `operation` in an atomic scope.
    package static nonisolated(nonsending) func run<Result>(
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        try await $owner.binding(.current, operation)
    }
}
