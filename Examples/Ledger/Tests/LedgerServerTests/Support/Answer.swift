// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import Testing

/// The body of an error response.
struct ProblemBody: Decodable {
    struct Failure: Decodable {
        let path: String
        let line: Int?
    }

    let code: String
    let detail: String
    let failures: [Failure]?
}

/// A response of the server.
struct Answer: Sendable {
    let status: Int
    let headers: [String: String]
    let body: [UInt8]

    /// Parses a response that ends with the connection.
    init(_ bytes: [UInt8]) throws {
        let end = try #require(bytes.firstRange(of: Array("\r\n\r\n".utf8)), "no answer: \(bytes.count) bytes")
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        status = try #require(lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) })
        headers = Dictionary(
            lines.dropFirst().compactMap { line in
                line.firstIndex(of: ":").map { colon in
                    (
                        line[..<colon].lowercased(),
                        line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
                    )
                }
            },
            uniquingKeysWith: { $0 + ", " + $1 }
        )
        body = Array(bytes[end.upperBound...])
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    func json<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(body))
    }
}
#endif
