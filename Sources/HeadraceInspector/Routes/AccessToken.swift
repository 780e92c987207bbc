//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A secret of 128 random bits, as hexadecimal text.
struct AccessToken: Sendable {
    let text: String

    /// Creates a token from the system's random number generator.
    init() {
        var generator = SystemRandomNumberGenerator()
        let bits = [generator.next() as UInt64, generator.next() as UInt64]
        text = bits.map { String($0, radix: 16).leftPadded(to: 16) }.joined()
    }

    /// Compares in constant time, so that the duration of a refusal reveals nothing about the token.
    func matches(_ other: String) -> Bool {
        let (own, other) = (Array(text.utf8), Array(other.utf8))
        if own.count != other.count { return false }
        return zip(own, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension String {
    fileprivate func leftPadded(to length: Int) -> String {
        String(repeating: "0", count: max(0, length - count)) + self
    }
}
