//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The first lines of a request, taken apart; what is not written as HTTP says is refused.
///
/// It is the subset that a page and a client on this machine need: no transfer codings, one request a connection.
///
/// Related documentation: <https://www.rfc-editor.org/rfc/rfc9112>
struct RequestHead: Sendable {
    let method: String
    let target: String
    let headers: [(name: String, value: String)]
    let bodyLength: Int

    /// Whether the client waits to be told to send the body.
    let expectsContinue: Bool

    /// What keeps a request from being one.
    struct Problem: Error, Equatable {
        let status: Int
        let message: String
    }

    /// How many bytes of a method are read at the most.
    private static let methodLength = 16

    /// How many bytes of a first line there are besides the target: the method, the version, two spaces.
    private static let frameLength = methodLength + 10

    /// Finds the end of the head in `bytes`: the index after it, or `nil` where it has not come yet.
    ///
    /// - Throws: A problem as soon as it is longer than the limits allow.
    static func end(in bytes: [UInt8], limits: InspectorRoutes.Limits) throws(Problem) -> Int? {
        let lineLimit = limits.targetLength + frameLength
        let lineEnd = bytes.prefix(lineLimit + 2).firstIndex(of: 0x0A)
        if lineEnd == nil, bytes.count > lineLimit + 1 {
            throw Problem(status: 414, message: "The first line is longer than \(lineLimit) bytes.")
        }
        guard let lineEnd else { return nil }
        // Each field has a colon, a space and an end of line besides what the limit counts.
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

    /// Reads a head, its empty line at the end included.
    init(_ bytes: some Collection<UInt8>, limits: InspectorRoutes.Limits) throws(Problem) {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformed("It is no UTF-8.") }
        // A carriage return and a line feed are one character together: what is split is the text's bytes.
        var lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { String(Substring($0)) }
        guard lines.count >= 3, lines.allSatisfy({ $0.utf8.last == 0x0D || $0.isEmpty }) else {
            throw .malformed("Its lines do not end as those of a request do.")
        }
        lines = lines.map { $0.utf8.last == 0x0D ? String(Substring($0.utf8.dropLast())) : $0 }
        if lines.contains(where: Self.hasControlCharacter) { throw .malformed("There are control characters in it.") }

        let first = lines[0].split(separator: " ", omittingEmptySubsequences: false)
        guard first.count == 3, first[1].utf8.first == UInt8(ascii: "/") else {
            throw .malformed("Its first line is to be a method, a path and a version.")
        }
        guard first[0].utf8.count <= Self.methodLength, !first[0].isEmpty,
            first[0].utf8.allSatisfy({ (0x41...0x5A).contains($0) })
        else { throw .malformed("Its method is none.") }
        guard first[2] == "HTTP/1.1" || first[2] == "HTTP/1.0" else {
            throw Problem(status: 505, message: "The version of HTTP is not 1.1.")
        }
        method = String(first[0])
        target = String(first[1])

        var headers: [(name: String, value: String)] = []
        for line in lines.dropFirst() where !line.isEmpty {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.allSatisfy(Self.isTokenCharacter) else {
                throw .malformed("A header field is to be a name, a colon and a value.")
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
            throw Problem(status: 411, message: "The body is to come as it is, after its Content-Length.")
        }
        let lengths = headers.filter { $0.name == "content-length" }.map(\.value)
        guard let first = lengths.first else { return 0 }
        guard lengths.count == 1, !first.isEmpty, first.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .malformed("Its Content-Length is none.")
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
