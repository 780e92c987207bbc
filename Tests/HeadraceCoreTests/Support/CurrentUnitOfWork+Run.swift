// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// Work without content.
private final class Work: AtomicWork {
    let task = TaskIdentity.current
}

extension CurrentUnitOfWork {
    /// Runs `operation` in an atomic scope of the current task.
    static nonisolated(nonsending) func run(
        _ operation: nonisolated(nonsending) () async throws -> Void
    ) async throws {
        try await $current.binding(Work(), operation)
    }
}
