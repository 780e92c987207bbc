// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation

/// Why the procedure has refused a unit of work.
struct CommitRefusal: Decodable {
    /// The causes, in the order in which they count.
    enum Cause: Int, Decodable {
        case keyTaken = 1
        case requirement, deletion, write, unique, leaseLost
    }

    let unit: Int
    let cause: Cause

    /// The number of the argument concerned, counting from 1.
    let item: Int

    /// The stored version of the entity, if it exists.
    let stored: Int?

    /// The key of the entity that has a unique value.
    let other: String

    init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        unit = try values.decode(Int.self)
        cause = try values.decode(Cause.self)
        item = try values.decode(Int.self)
        stored = try values.decodeIfPresent(Int.self)
        let digits = Array(try values.decodeIfPresent(String.self)?.utf8 ?? "".utf8)
        let bytes = stride(from: 0, to: digits.count - digits.count % 2, by: 2).compactMap {
            UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
        }
        other = String(decoding: bytes, as: UTF8.self)
    }

    /// Reads the refusals that the procedure has returned.
    static func list(_ json: String) throws -> [CommitRefusal] {
        // Most batches have none.
        json == "[]" ? [] : try JSONDecoder().decode([CommitRefusal].self, from: Data(json.utf8))
    }
}
#endif
