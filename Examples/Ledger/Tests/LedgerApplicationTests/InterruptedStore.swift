// SPDX-License-Identifier: Apache-2.0

import Headrace
import HeadraceStorage
import LedgerApplication
import Synchronization

/// A store that runs an operation directly before each commit, as a faster writer would.
final class InterruptedStore: StoreDecorator {
    let base: any DeliveryStore
    private let interruption: @Sendable (_ attempt: Int) async throws -> Void
    private let attempts = Mutex(0)

    private let cancellation: Int?

    /// Creates a store that runs `interruption` with the number of the commit, counting from 1, and cancels the task at
    /// the commit of number `cancellation`.
    init(
        _ base: any DeliveryStore,
        cancellingAt cancellation: Int? = nil,
        _ interruption: @escaping @Sendable (_ attempt: Int) async throws -> Void
    ) {
        self.base = base
        self.cancellation = cancellation
        self.interruption = interruption
    }

    /// Number of attempted commits.
    var commitCount: Int { attempts.withLock(\.self) }

    func commit(_ changes: ChangeSet) async throws {
        let attempt = attempts.withLock { attempts in
            attempts += 1
            return attempts
        }
        // Another process has neither the unit of work nor the lock keys of this task.
        try await Task.detached { [interruption] in try await interruption(attempt) }.value
        if attempt == cancellation { Task.cancelCurrent() }
        try await base.commit(changes)
    }
}

extension TestBooks {
    /// Opens the ledger a second time on the same store, as another process would.
    ///
    /// Before each commit of this process, `interruption` runs.
    func otherProcess(
        cancellingAt cancellation: Int? = nil,
        _ interruption: @escaping @Sendable (_ attempt: Int) async throws -> Void = { _ in }
    ) throws -> OtherProcess {
        let store = InterruptedStore(store, cancellingAt: cancellation, interruption)
        return OtherProcess(store: store, container: try LedgerComposition.makeContainer(on: store))
    }
}

/// The same ledger in another process.
struct OtherProcess: Sendable {
    let store: InterruptedStore
    let container: Container

    var dispatcher: any CommandQueryDispatcher { container.resolve() }
}
