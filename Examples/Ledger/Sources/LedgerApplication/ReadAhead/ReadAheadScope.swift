//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Headrace
import Synchronization

/// The state of a running serialized command: the lock keys that it holds, and the unstored documents that it has read.
final class ReadAheadScope: Sendable {
    private struct State {
        var dependencies: [OneShot<Bool>] = []
        var requirements: [StoredDocument] = []
    }

    /// The scope of the command that the task handles; `nil` outside serialized commands.
    @TaskLocal static var current: ReadAheadScope?

    /// The lock keys of the command.
    let keys: HeldKeys<String>

    private let state = Mutex(State())

    init(holding keys: HeldKeys<String>) {
        self.keys = keys
    }

    /// Runs `operation` in the scope, on the actor of the caller.
    nonisolated(nonsending) func run<Result>(
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        try await run(operation, isolation: #isolation)
    }

    /// Binds ``current``.
    ///
    /// The closure stays on the caller's actor because it captures `isolation`.
    private func run<Result>(
        _ operation: nonisolated(nonsending) () async throws -> Result,
        isolation: isolated (any Actor)?
    ) async throws -> Result {
        try await Self.$current.withValue(self) {
            _ = isolation
            return try await operation()
        }
    }

    /// Records that the command has read `document` before it is stored; `isStored` is the outcome of its commit.
    func addDependency(on document: StoredDocument, isStored: OneShot<Bool>) {
        state.withLock { state in
            state.dependencies.append(isStored)
            state.requirements.append(document)
        }
    }

    /// The documents that the command has read ahead.
    ///
    /// The store must contain them when the command commits.
    var requirements: [StoredDocument] { state.withLock(\.requirements) }

    /// Removes the first `count` requirements after a commit has met them: the command may have changed these
    /// documents.
    func removeRequirements(_ count: Int) {
        state.withLock { $0.requirements.removeFirst(count) }
    }

    /// Waits for all commits that the command has read from, and returns whether all of them are stored.
    ///
    /// - Throws: `CancellationError`.
    nonisolated(nonsending) func allStored() async throws -> Bool {
        for isStored in state.withLock(\.dependencies) where try await !isStored.wait() { return false }
        return true
    }
}
