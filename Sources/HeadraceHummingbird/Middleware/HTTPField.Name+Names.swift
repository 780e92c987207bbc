// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import HTTPTypes

extension HTTPField.Name {
    /// The host name in a request.
    static let host = named("Host")

    /// The key by which repetitions of a request are detected.
    static let idempotencyKey = named("Idempotency-Key")

    /// What a browser wants to do with the response, such as `navigate`.
    static let secFetchMode = named("Sec-Fetch-Mode")

    /// Whether a browser sends the request for a page of another site.
    static let secFetchSite = named("Sec-Fetch-Site")

    private static func named(_ name: String) -> HTTPField.Name {
        guard let known = HTTPField.Name(name) else {
            preconditionFailure("'\(name)' isn't a valid field name. To fix, correct it.")
        }
        return known
    }
}
#endif
