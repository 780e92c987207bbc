// SPDX-License-Identifier: Apache-2.0

/// The stored form of the names of replayed events, while a replay isn't complete.
///
/// Both stores keep it as plain text: `x` and the bytes of a name as hexadecimal digits, joined by commas.
package enum ReplayNames {
    /// Maximum number of events that a transaction of a replay reads.
    package static let partSize = 10_000

    package static func text(of names: Set<String>) -> String {
        names.map { name in "x" + name.utf8.map(hexadecimal).joined() }.sorted().joined(separator: ",")
    }

    /// Returns the names in `text`; skips what isn't of the form.
    package static func names(in text: String) -> Set<String> {
        Set(
            text.split(separator: ",").map { part in
                let digits = Array(part.utf8.dropFirst())
                let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap { start in
                    UInt8(String(decoding: digits[start...start + 1], as: UTF8.self), radix: 16)
                }
                return String(decoding: bytes, as: UTF8.self)
            })
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }
}
