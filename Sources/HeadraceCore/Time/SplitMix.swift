// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A random number generator that is reproducible by its seed.
///
/// Source: Steele, Lea and Flood, Fast splittable pseudorandom number generators,
/// <https://doi.org/10.1145/2714064.2660195>.
package struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension UUID {
    /// Returns a UUID of version 8 with random bits of `generator`.
    ///
    /// Source: RFC 9562, section 5.8, <https://www.rfc-editor.org/rfc/rfc9562>.
    package static func version8(using generator: inout some RandomNumberGenerator) -> UUID {
        let upper = generator.next() & ~0xF000 | 0x8000
        let lower = generator.next() >> 2 | 0x8000_0000_0000_0000
        return UUID(upper: upper, lower: lower)
    }
}
