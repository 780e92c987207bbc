// SPDX-License-Identifier: Apache-2.0

#if Client
import Foundation
import HTTPTypes
import HeadraceCore

/// The body of a response with an error: the members of problem details that a client uses.
struct ServerProblem: Decodable {
    private struct Failure: Decodable {
        let path: String
        let text: String
    }

    private struct Value: Decodable {
        let type: String
    }

    private enum Key: String, CodingKey { case code, detail, title, status, instance, failures, error }
    private enum ErrorKey: String, CodingKey { case type, value }

    let code: String?
    private let detail: String?
    private let title: String?
    private let status: Int?
    private let instance: String?
    private let failures: [Failure]

    /// The error that the handler has thrown, if the route declares it.
    let error: (any Error)?

    /// Decodes a problem whose error is one of the current route's.
    ///
    /// A member of another type is omitted, because proxies have problems, too.
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Key.self)
        code = try? members.decode(String.self, forKey: .code)
        detail = try? members.decode(String.self, forKey: .detail)
        title = try? members.decode(String.self, forKey: .title)
        status = try? members.decode(Int.self, forKey: .status)
        instance = try? members.decode(String.self, forKey: .instance)
        failures = (try? members.decode([Failure].self, forKey: .failures)) ?? []
        error = try? Self.error(in: members)
    }

    /// The errors of the route whose problem the task decodes.
    @TaskLocal static var declared: [DeclaredError] = []

    private static func error(in members: KeyedDecodingContainer<Key>) throws -> (any Error)? {
        let error = try members.nestedContainer(keyedBy: ErrorKey.self, forKey: .error)
        let name = try error.decode(String.self, forKey: .type)
        guard let declared = declared.first(where: { $0.name == name }) else { return nil }
        return try declared.decode(from: try error.superDecoder(forKey: .value))
    }

    /// Returns the error for a response with the status `response`.
    ///
    /// A problem within a stream has its own status.
    func remoteError(_ response: HTTPResponse.Status, retryAfter: Duration?, isCommand: Bool) -> RemoteError {
        let status = status.flatMap { (400..<600).contains($0) ? HTTPResponse.Status(code: $0) : nil } ?? response
        return RemoteError(
            code: code ?? "status\(status.code)",
            message: detail ?? title ?? "The server answered with the status \(status).",
            status: status,
            failures: failures.map { RemoteError.Failure(path: $0.path, text: $0.text) },
            instance: instance,
            retryAfter: retryAfter,
            isTemporary: RemoteError.temporary(status) || code == "keyInUse",
            // A gateway says nothing about the server behind it.
            mayHaveTakenEffect: isCommand && (status.code >= 500 || code == "keyInUse")
        )
    }
}
#endif
