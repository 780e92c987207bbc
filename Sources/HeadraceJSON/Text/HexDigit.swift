// SPDX-License-Identifier: Apache-2.0

/// Digits of base 16.
enum HexDigit {
    /// The value of `digit`; `nil` if it isn't a digit.
    @inline(__always)
    static func value(of digit: UInt8) -> UInt8? {
        let decimal = digit &- UInt8(ascii: "0")
        if decimal < 10 { return decimal }
        let letter = (digit | 0x20) &- UInt8(ascii: "a")
        return letter < 6 ? letter &+ 10 : nil
    }
}
