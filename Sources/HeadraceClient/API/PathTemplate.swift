// SPDX-License-Identifier: Apache-2.0

#if Client
/// A path with parameters in braces, such as `events/{event}/seats`.
struct PathTemplate: Sendable, CustomStringConvertible {
    private enum Part: Sendable {
        case text(String), parameter(String)

        /// The part without the name of a parameter.
        var shape: String { if case .text(let text) = self { "/\(text)" } else { "/{}" } }
    }

    /// The path with a slash at its start and without one at its end.
    let description: String

    private let parts: [Part]

    init(_ path: String) {
        let segments = path.split(separator: "/").map(String.init)
        description = "/" + segments.joined(separator: "/")
        parts = segments.map { segment in
            if segment.hasPrefix("{"), segment.hasSuffix("}") {
                return .parameter(String(segment.dropFirst().dropLast()))
            }
            return .text(segment)
        }
    }

    /// The names of the parameters.
    var parameters: [String] {
        parts.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }

    /// The path without the names of the parameters: two paths with one shape match the same requests.
    var shape: String { parts.map(\.shape).joined() }

    /// The parameters, each with the shape of the path before it.
    var places: [(shape: String, parameter: String)] {
        var shape = ""
        var places: [(shape: String, parameter: String)] = []
        for part in parts {
            if case .parameter(let name) = part { places.append((shape, name)) }
            shape += part.shape
        }
        return places
    }

    /// Ends of sentences about what is wrong.
    var problems: [String] {
        var problems: [String] = []
        if Set(parameters).count < parameters.count { problems.append("has two parameters of one name.") }
        for case .text(let text) in parts where text.percentEncoded != text {
            problems.append(
                "has the segment '\(text)', which needs other characters than letters, digits, '-', '.', '_', and '~'.")
        }
        if parameters.contains("") { problems.append("has a parameter without a name.") }
        return problems
    }

    /// Returns the path of `message`.
    ///
    /// - Throws: `EncodingError` if a parameter has no value.
    func path(of message: MessageParameters) throws -> String {
        try parts.map { part in
            switch part {
            case .text(let text): return "/\(text)"
            case .parameter(let name):
                let text = try message.segment(name)
                // A segment of one or two dots would change the path, also if the dots are encoded. RFC 3986, section 5.2.4
                if text == "." || text == ".." {
                    throw EncodingError.parameter("'\(name)' is a part of the path, so it can't be '\(text)'.")
                }
                return "/\(text.percentEncoded)"
            }
        }
        .joined()
    }
}

extension String {
    /// The text with percent signs for all characters that have a meaning in a URL.
    var percentEncoded: String {
        if utf8.allSatisfy(\.isUnreserved) { return self }
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        for byte in utf8 {
            encoded += byte.isUnreserved ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}

extension UInt8 {
    /// Whether the character needs no percent sign in any part of a URL. RFC 3986, section 2.3
    fileprivate var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
#endif
