// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Collects the errors of services that run concurrently.
@usableFromInline
final class FailureCollector: Sendable {
    private let failures = Mutex<[(index: Int, error: any Error)]>([])

    @usableFromInline
    init() {}

    /// Adds the error of the service at `index`.
    @usableFromInline
    func add(_ error: any Error, at index: Int) {
        failures.withLock { $0.append((index, error)) }
    }

    /// Throws the errors, ordered by index, if there are any.
    @usableFromInline
    func rethrow() throws {
        let failures = failures.withLock { $0 }
        if !failures.isEmpty { throw CollectedFailures(failures.sorted { $0.index < $1.index }.map(\.error)) }
    }
}
