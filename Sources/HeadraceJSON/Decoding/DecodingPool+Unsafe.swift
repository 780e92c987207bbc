// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Keeps tapes between documents, so that their memory is allocated once.
///
/// Why `@unchecked Sendable` is right for a tape: the pool owns it while no document is read. ``withTape(_:)`` removes it
/// from the pool under the lock and puts it back only if it has the last reference. A decoder that was kept by a value holds
/// a reference, and such a tape never returns to the pool. So at each time one task uses a tape.
enum DecodingPool {
    /// Number of tapes that are kept.
    private static let limit = 8

    /// Number of bytes above which a tape isn't kept.
    private static let sizeLimit = 1 << 20

    private static let tapes = Mutex<[JSONTape]>([])

    /// Performs `body` with a tape that nothing else uses.
    @inline(__always)
    static func withTape<Result>(_ body: (JSONTape) throws -> Result) throws -> Result {
        var tape = tapes.withLock { $0.popLast() } ?? JSONTape()
        defer {
            if isKnownUniquelyReferenced(&tape), tape.allocated <= sizeLimit {
                tapes.withLock { tapes in
                    if tapes.count < limit { tapes.append(tape) }
                }
            }
        }
        return try body(tape)
    }
}

extension JSONTape: @unchecked Sendable {}
