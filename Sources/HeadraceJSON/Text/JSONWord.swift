// SPDX-License-Identifier: Apache-2.0

/// Searches eight bytes at once.
enum JSONWord {
    static let lowBits: UInt64 = 0x0101_0101_0101_0101
    static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Marks the bytes of `word` that end a run of plain characters: quotation marks, backslashes, and control characters.
    ///
    /// The lowest mark is exact. A mark above it can be wrong.
    @inline(__always)
    static func special(_ word: UInt64) -> UInt64 {
        let control = (word &- 0x2020_2020_2020_2020) & ~word
        let quotation = word ^ 0x2222_2222_2222_2222
        let backslash = word ^ 0x5C5C_5C5C_5C5C_5C5C
        return (control | ((quotation &- lowBits) & ~quotation) | ((backslash &- lowBits) & ~backslash)) & highBits
    }
}
