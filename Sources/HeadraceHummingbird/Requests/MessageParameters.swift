// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import Foundation
import Hummingbird
import Synchronization

/// The decoded parameters of a request, from its path or its query.
struct MessageParameters: Sendable {
    /// The values of each parameter in the order of the request.
    private(set) var values: [String: [String]] = [:]

    /// The names of the query parameters that no message has asked for.
    private let unused = UnusedNames()

    /// The parameters of the message that the task decodes.
    ///
    /// A message is decoded by the decoder of the application, which passes nothing on to `init(from:)`.
    @TaskLocal static var current = MessageParameters()

    private init() {}

    /// Reads the parameters of the path, and those of the query unless `limit` is `nil`.
    ///
    /// A parameter of the path hides the parameters of the query with the same name.
    ///
    /// - Throws: ``Problem`` if there are more than `limit` parameters in the query, or if one isn't percent-encoded UTF-8.
    init(of request: Request, in context: some RequestContext, queryLimit limit: Int?) throws {
        if let limit, let query = request.uri.query, !query.isEmpty {
            let pairs = query.split(separator: "&")
            if pairs.count > limit {
                throw Problem.malformed("The query has too many parameters. To fix, send at most \(limit).")
            }
            for pair in pairs {
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                // Browsers encode a space as a plus sign.
                let decoded = try parts.map { try Self.decoded(String($0.replacing("+", with: " "))) }
                values[decoded[0], default: []].append(decoded.count > 1 ? decoded[1] : "")
            }
        }
        unused.insert(values.keys)
        for (name, value) in context.parameters { values[String(name)] = [try Self.decoded(String(value))] }
    }

    /// Notes that a message asks for the parameter `name`.
    func use(_ name: String) {
        unused.remove(name)
    }

    /// Requires that the message has asked for each parameter of the query: a misspelled condition would be ignored silently.
    ///
    /// - Throws: ``Problem`` with the status 400.
    func requireAllUsed() throws {
        guard let name = unused.first else { return }
        throw Problem.malformed("There is no parameter '\(name.prefix(64))'. To fix, correct or omit it.")
            .with([Problem.Failure(path: String(name.prefix(64)), text: "is unknown")])
    }

    private static func decoded(_ text: String) throws -> String {
        guard let decoded = text.removingPercentEncoding else {
            throw Problem.malformed("A parameter isn't percent-encoded UTF-8. To fix, encode it.")
        }
        return decoded
    }
}

/// Names that are removed while a message is decoded.
private final class UnusedNames: Sendable {
    private let names = Mutex<Set<String>>([])

    var first: String? { names.withLock { $0.min() } }

    func insert(_ added: some Sequence<String>) { names.withLock { $0.formUnion(added) } }
    func remove(_ name: String) { names.withLock { _ = $0.remove(name) } }
}
#endif
