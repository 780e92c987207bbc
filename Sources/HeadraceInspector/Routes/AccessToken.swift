// SPDX-License-Identifier: Apache-2.0

/// A secret text, compared in constant time.
package struct AccessToken: Sendable {
    /// The secret.
    package let text: String

    /// Creates a token of 128 bits from the system's random number generator, as hexadecimal text.
    package init() {
        var generator = SystemRandomNumberGenerator()
        let bits = [generator.next() as UInt64, generator.next() as UInt64]
        text = bits.map { String($0, radix: 16).leftPadded(to: 16) }.joined()
    }

    /// Creates a token that is known to others.
    package init(_ text: String) {
        self.text = text
    }

    /// Compares in a time that depends on the length of `other` only, so that a refusal reveals nothing about the token.
    package func matches(_ other: String) -> Bool {
        let (own, other) = (Array(text.utf8), Array(other.utf8))
        if own.isEmpty { return false }
        var difference = own.count ^ other.count
        for (index, byte) in other.enumerated() { difference |= Int(byte ^ own[index % own.count]) }
        return difference == 0
    }
}

extension String {
    fileprivate func leftPadded(to length: Int) -> String {
        String(repeating: "0", count: max(0, length - count)) + self
    }
}
