// SPDX-License-Identifier: Apache-2.0

extension Int {
    /// The number in base 10, as `description` returns it.
    ///
    /// `description` takes 500 instructions for any number, and a unit of work needs two texts for each entity.
    ///
    /// Why the unsafe code is right: the buffer has `count` bytes, and the loop writes the digits from its end on and the sign
    /// before them, which are `count` bytes together.
    var decimalText: String {
        var count = self < 0 ? 2 : 1
        var rest = magnitude
        while rest >= 10 {
            rest /= 10
            count += 1
        }
        return unsafe String(unsafeUninitializedCapacity: count) { buffer in
            var rest = magnitude
            var offset = count
            repeat {
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                offset -= 1
                unsafe buffer[offset] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
                rest = quotient
            } while rest != 0
            if offset > 0 { unsafe buffer[0] = UInt8(ascii: "-") }
            return count
        }
    }
}
