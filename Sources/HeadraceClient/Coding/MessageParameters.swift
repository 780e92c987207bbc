// SPDX-License-Identifier: Apache-2.0

#if Client
import Foundation
import HeadraceStorage

/// The members of a message as texts for the path and the query of a request.
///
/// They are read from the JSON of the message, so that a value has the same text everywhere. A member that is `null` is omitted.
struct MessageParameters {
    private let members: [String: Member]

    /// - Parameter json: The JSON of a message, which must be an object.
    /// - Throws: `EncodingError` if the message isn't an object.
    init(_ json: Data) throws {
        do {
            members = try DocumentCoding.decode([String: Member].self, from: json)
        } catch {
            throw EncodingError.parameter(
                "The message has no members, so it can't be sent as the parameters of a request.")
        }
    }

    /// Returns the text of the member `name`, which is a part of the path.
    ///
    /// - Throws: `EncodingError` if there is none, if it is empty, or if it isn't a single value.
    func segment(_ name: String) throws -> String {
        guard case .text(let text) = members[name], !text.isEmpty else {
            throw EncodingError.parameter(
                "'\(name)' is a part of the path, so it must be a text that isn't empty, a number, or another single value."
            )
        }
        return text
    }

    /// Returns the query of a request with all members except those in `path`; empty if there are none.
    ///
    /// - Throws: `EncodingError` if a member is an object, or a list of lists or objects.
    func query(without path: [String]) throws -> String {
        var pairs: [String] = []
        for (name, member) in members.sorted(by: { $0.key < $1.key }) where !path.contains(name) {
            pairs += try member.texts(of: name).map { "\(name.percentEncoded)=\($0.percentEncoded)" }
        }
        return pairs.joined(separator: "&")
    }
}

/// A member of a message.
private enum Member: Decodable {
    case null
    case text(String)
    case list([Member])
    case object

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        // Each failed attempt is slow, so the most frequent kind comes first.
        if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if value.decodeNil() {
            self = .null
        } else if let number = try? value.decode(Double.self) {
            // A decimal number has more digits, also those of all integers, and a smaller range. A decoder would round to an integer.
            let decimal = (try? value.decode(Decimal.self)).map { "\($0)" }
            self = .text(decimal.flatMap { Double($0) == number ? $0 : nil } ?? "\(number)")
        } else if let isTrue = try? value.decode(Bool.self) {
            self = .text("\(isTrue)")
        } else if var list = try? decoder.unkeyedContainer() {
            var members: [Member] = []
            while !list.isAtEnd { members.append(try list.decode(Member.self)) }
            self = .list(members)
        } else {
            self = .object
        }
    }

    func texts(of name: String) throws -> [String] {
        switch self {
        case .null: []
        case .text(let text): [text]
        case .list(let members):
            try members.map { member in
                guard case .text(let text) = member else { throw Self.refused(name) }
                return text
            }
        case .object: throw Self.refused(name)
        }
    }

    private static func refused(_ name: String) -> EncodingError {
        .parameter("'\(name)' must be a text, a number, or a list of these, because it is a parameter of a request.")
    }
}

extension EncodingError {
    /// A member of a message that can't be a parameter of a request.
    static func parameter(_ text: String) -> EncodingError {
        .invalidValue(text, Context(codingPath: [], debugDescription: text))
    }
}
#endif
