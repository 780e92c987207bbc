// SPDX-License-Identifier: Apache-2.0

#if SQLite
import GRDB
import HeadraceStorage

/// Values of an index as one JSON array for `json_each`: a single argument for any number of values.
struct JSONList {
    let text: String

    init(_ values: some Sequence<IndexValue>) {
        var json: [UInt8] = [UInt8(ascii: "[")]
        for value in values {
            if json.count > 1 { json.append(UInt8(ascii: ",")) }
            switch value {
            case .integer(let number): json.append(contentsOf: String(number).utf8)
            case .text(let text): Self.append(SQLText(text).escaped, to: &json)
            }
        }
        json.append(UInt8(ascii: "]"))
        text = String(decoding: json, as: UTF8.self)
    }

    private static func append(_ text: String, to json: inout [UInt8]) {
        let quote = UInt8(ascii: "\"")
        json.append(quote)
        for byte in text.utf8 {
            switch byte {
            case quote, UInt8(ascii: "\\"):
                json += [UInt8(ascii: "\\"), byte]
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                json.append(contentsOf: "\\u00\(byte < 0x10 ? "0" : "")\(digits)".utf8)
            default:
                json.append(byte)
            }
        }
        json.append(quote)
    }
}
#endif
