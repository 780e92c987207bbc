//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Work that fails or succeeds as a whole, so that no part of it may be done again by itself.
///
/// A unit of work is. What failed within it may have left changes behind that only the whole can undo.
package enum AtomicScope {
    @TaskLocal private static var owner: TaskIdentity?

    /// Whether this task is within such work; a child task that works on its own is not.
    package static var isCurrent: Bool {
        guard let owner else { return false }
        return owner == .current
    }

    /// Runs `operation` as such work.
    package static nonisolated(nonsending) func run<Result>(
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        try await $owner.binding(.current, operation)
    }
}
