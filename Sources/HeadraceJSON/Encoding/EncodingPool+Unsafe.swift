// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Keeps the states of encoders between documents, so that their memory is allocated once.
///
/// Why `@unchecked Sendable` is right for a state: the pool owns it while nothing is encoded. ``take()`` removes it from
/// the pool under the lock, and ``giveBack(_:)`` puts it back only if the caller has the last reference. An encoder that
/// was kept by a value holds a reference, and such a state never returns to the pool. So at each time one task uses a
/// state.
enum EncodingPool {
    /// Number of states that are kept.
    private static let limit = 16

    /// Number of bytes above which a state isn't kept.
    private static let sizeLimit = 1 << 20

    private static let states = Mutex<[EncodingState]>([])

    /// Performs `body` with a state that nothing else uses.
    @inline(__always)
    static func withState<Result>(_ body: (EncodingState) throws -> Result) throws -> Result {
        var state = take()
        defer { giveBack(&state) }
        return try body(state)
    }

    /// Returns a state that nothing else uses.
    static func take() -> EncodingState {
        states.withLock { $0.popLast() } ?? EncodingState()
    }

    /// Keeps `state` for another document, unless it is used elsewhere.
    static func giveBack(_ state: inout EncodingState) {
        guard isKnownUniquelyReferenced(&state), state.allocated <= sizeLimit else { return }
        state.reset()
        states.withLock { [state] states in
            if states.count < limit { states.append(state) }
        }
    }
}

extension EncodingState: @unchecked Sendable {}
