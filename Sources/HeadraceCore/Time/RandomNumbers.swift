// SPDX-License-Identifier: Apache-2.0

/// A source of random numbers that many tasks can share.
///
/// ```swift
/// var generator = SystemValues.current.randomNumbers
/// let eyes = Int.random(in: 1...6, using: &generator)
/// ```
public struct RandomNumbers: RandomNumberGenerator, Sendable {
    private let makeNext: @Sendable () -> UInt64

    /// Creates a source; each call of `next` returns 64 random bits, on any thread.
    public init(_ next: @escaping @Sendable () -> UInt64) {
        makeNext = next
    }

    /// The random numbers of the system, which are suitable for cryptography.
    public static let system = RandomNumbers { .random(in: 0...UInt64.max) }

    /// Returns 64 random bits.
    public mutating func next() -> UInt64 { makeNext() }
}
