// SPDX-License-Identifier: Apache-2.0

#if Postgres
import HeadraceStorage

extension IndexValue {
    /// Bytes in the order of the values: numbers before text, text by its UTF-8 bytes.
    var sortKey: [UInt8] {
        switch self {
        case .integer(let number):
            // With the sign bit flipped, negative numbers come first.
            [1] + (0..<8).map { UInt8(truncatingIfNeeded: (UInt64(bitPattern: number) ^ 1 << 63) >> (56 - 8 * $0)) }
        case .text(let text):
            [2] + Array(text.utf8)
        }
    }

    /// Reads the value of a sort key.
    init(sortKey: some Collection<UInt8>) {
        let rest = sortKey.dropFirst()
        if sortKey.first == 1 {
            let number = rest.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            self = .integer(Int64(bitPattern: number ^ 1 << 63))
        } else {
            self = .text(String(decoding: rest, as: UTF8.self))
        }
    }
}
#endif
