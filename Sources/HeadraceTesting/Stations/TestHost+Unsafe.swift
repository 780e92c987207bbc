// SPDX-License-Identifier: Apache-2.0

extension TestHost {
    /// The executor of the actor.
    ///
    /// Why this is safe: the reference doesn't retain the executor. The actor does, for as long as it lives.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
}
