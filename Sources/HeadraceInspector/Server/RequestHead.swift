//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A parsed request line with its header fields.
///
/// Malformed requests are refused.
///
/// The parser supports the subset of HTTP that a page and a local client need: no transfer codings, and one request per
/// connection.
///
/// Related documentation: <https://www.rfc-editor.org/rfc/rfc9112>
struct RequestHead: Sendable {
    let method: String
    let target: String
    let headers: [(name: String, value: String)]
    let bodyLength: Int

    /// Whether the client waits for `100 Continue` before it sends the body.
    let expectsContinue: Bool

    /// The reason to refuse a request, with its status code.
    struct Problem: Error, Equatable {
        let status: Int
        let message: String
    }

    /// Maximum size of a method in bytes.
    private static let methodLength = 16

    /// Maximum size of a request line without the target in bytes: a method, a version, and two spaces.
    private static let frameLength = methodLength + 10

    /// Returns the index after the empty line that ends the head, or `nil` if this line hasn't arrived yet.
    ///
    /// - Throws: A problem as soon as the head exceeds a limit.
    static func end(in bytes: [UInt8], limits: InspectorRoutes.Limits) throws(Problem) -> Int? {
        let lineLimit = limits.targetLength + frameLength
        let lineEnd = bytes.prefix(lineLimit + 2).firstIndex(of: 0x0A)
        if lineEnd == nil, bytes.count > lineLimit + 1 {
            throw Problem(status: 414, message: "The request line is longer than \(lineLimit) bytes.")
        }
        guard let lineEnd else { return nil }
        // The limit doesn't count the colon, the space, and the line end of each field.
        let headLimit = lineEnd + 1 + limits.headerLength + 4 * limits.headerCount + 2
        var index = lineEnd
        while index < min(bytes.count, headLimit) {
            if bytes[index] == 0x0A, index >= 3, bytes[index - 3..<index] == [0x0D, 0x0A, 0x0D] { return index + 1 }
            index += 1
        }
        if bytes.count >= headLimit {
            throw Problem(status: 431, message: "The header fields are longer than \(limits.headerLength) bytes.")
        }
        return nil
    }

    /// Parses a head including the empty line at its end.
    init(_ bytes: some Collection<UInt8>, limits: InspectorRoutes.Limits) throws(Problem) {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformed("It isn't valid UTF-8.") }
        // This splits the bytes of the text, because a carriage return with a line feed is a single `Character`.
        var lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { String(Substring($0)) }
        guard lines.count >= 3, lines.allSatisfy({ $0.utf8.last == 0x0D || $0.isEmpty }) else {
            throw .malformed("Each line must end with a carriage return and a line feed.")
        }
        lines = lines.map { $0.utf8.last == 0x0D ? String(Substring($0.utf8.dropLast())) : $0 }
        if lines.contains(where: Self.hasControlCharacter) { throw .malformed("It contains control characters.") }

        let first = lines[0].split(separator: " ", omittingEmptySubsequences: false)
        guard first.count == 3, first[1].utf8.first == UInt8(ascii: "/") else {
            throw .malformed("The request line must be a method, a path, and a version.")
        }
        guard first[0].utf8.count <= Self.methodLength, !first[0].isEmpty,
            first[0].utf8.allSatisfy({ (0x41...0x5A).contains($0) })
        else { throw .malformed("Its method isn't valid.") }
        guard first[2] == "HTTP/1.1" || first[2] == "HTTP/1.0" else {
            throw Problem(status: 505, message: "The version of HTTP is not 1.1.")
        }
        method = String(first[0])
        target = String(first[1])

        var headers: [(name: String, value: String)] = []
        for line in lines.dropFirst() where !line.isEmpty {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.allSatisfy(Self.isTokenCharacter) else {
                throw .malformed("A header field must be a name, a colon, and a value.")
            }
            headers.append((parts[0].lowercased(), Self.trimmed(parts[1])))
        }
        self.headers = headers
        bodyLength = try Self.bodyLength(headers, limits: limits)
        expectsContinue = headers.contains { $0.name == "expect" && $0.value.lowercased() == "100-continue" }
    }

    private static func bodyLength(
        _ headers: [(name: String, value: String)],
        limits: InspectorRoutes.Limits
    ) throws(Problem) -> Int {
        if headers.contains(where: { $0.name == "transfer-encoding" }) {
            throw Problem(
                status: 411, message: "The body must have a Content-Length. Transfer codings aren't supported.")
        }
        let lengths = headers.filter { $0.name == "content-length" }.map(\.value)
        guard let first = lengths.first else { return 0 }
        guard lengths.count == 1, !first.isEmpty, first.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .malformed("Its Content-Length isn't a number.")
        }
        guard let length = Int(first), length <= limits.bodyLength else {
            throw Problem(status: 413, message: "The body is longer than \(limits.bodyLength) bytes.")
        }
        return length
    }

    private static func hasControlCharacter(_ line: String) -> Bool {
        line.utf8.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }
    }

    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        guard let start = text.firstIndex(where: { !isBlank($0) }), let end = text.lastIndex(where: { !isBlank($0) })
        else {
            return ""
        }
        return String(text[start...end])
    }
}

extension RequestHead.Problem {
    fileprivate static func malformed(_ message: String) -> Self {
        Self(status: 400, message: "The request is malformed. \(message)")
    }
}
