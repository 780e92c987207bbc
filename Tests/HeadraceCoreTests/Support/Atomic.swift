//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// Work of the current task that can only be retried as a whole.
final class Atomic: AtomicWork {
    let task = TaskIdentity.current

    /// Runs `operation` as the work.
    static nonisolated(nonsending) func run<Output>(
        _ operation: nonisolated(nonsending) () async throws -> Output
    ) async rethrows -> Output {
        try await AtomicScope.$current.withValue(Atomic(), operation: operation)
    }
}
