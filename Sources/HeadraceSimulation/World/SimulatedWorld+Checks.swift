// SPDX-License-Identifier: Apache-2.0

#if Simulations
import HeadraceCore
public import HeadraceStorage

extension SimulatedWorld {
    /// Checks after each commit, and at the end, that `condition` holds for the store.
    ///
    /// - Parameters:
    ///   - name: What holds, in words.
    ///   - condition: Reads the store, without delays and faults, and returns whether it holds. An error is a violation.
    public func always(_ name: String, _ condition: @escaping @Sendable (InMemoryStore) async throws -> Bool) {
        server.add { [weak self] store in
            guard let self else { return }
            let isMet = try await SystemValues.withCurrent(values) { try await condition(store) }
            if !isMet { fail("'\(name)' doesn't hold.") }
        }
    }

    /// Ends the faults, and waits until `condition` holds for the store.
    ///
    /// - Parameters:
    ///   - name: What holds in the end, in words.
    ///   - duration: The simulated time after which it is a violation.
    ///   - condition: Reads the store, and returns whether it holds.
    /// - Throws: The errors of `condition`; `CancellationError`.
    public func eventually(
        _ name: String,
        within duration: Duration = .seconds(300),
        _ condition: @escaping @Sendable (InMemoryStore) async throws -> Bool
    ) async throws {
        endFaults()
        let end = clock.now.advanced(by: duration)
        while try await !condition(store) {
            if clock.now >= end { return fail("'\(name)' doesn't hold after \(duration.seconds) without faults.") }
            try await clock.sleep(.milliseconds(100))
        }
    }
}
#endif
