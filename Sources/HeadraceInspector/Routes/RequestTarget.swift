// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The path and the query of a request, parsed and decoded.
struct RequestTarget: Equatable {
    /// Decoded segments of the path.
    let path: [String]

    /// Decoded parameters.
    ///
    /// If several have the same name, the first is used.
    let query: [String: String]

    private static let parameterLimit = 16

    /// Parses `target`.
    ///
    /// Returns `nil` if `target` is malformed or isn't below `base`.
    ///
    /// Paths aren't normalized. Segments of dots, empty segments, backslashes, and control characters are refused, encoded
    /// or not.
    init?(_ target: String, below base: String) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let rawPath = parts.first, rawPath.hasPrefix(base + "/") else { return nil }
        let relative = rawPath.dropFirst(base.count + 1)
        var path: [String] = []
        for segment in relative.split(separator: "/", omittingEmptySubsequences: false) {
            guard let text = segment.removingPercentEncoding, text != ".", text != "..",
                !text.contains(where: { $0 == "/" || $0 == "\\" }),
                !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
            else { return nil }
            path.append(text)
        }
        if path == [""] { path = [] }
        if path.contains("") { return nil }

        var query: [String: String] = [:]
        if parts.count > 1, !parts[1].isEmpty {
            let pairs = parts[1].split(separator: "&", omittingEmptySubsequences: false)
            if pairs.count > Self.parameterLimit { return nil }
            for pair in pairs {
                let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                    $0.replacing("+", with: " ").removingPercentEncoding
                }
                guard let name = sides[0], let value = sides.count > 1 ? sides[1] : "" else { return nil }
                if query[name] == nil { query[name] = value }
            }
        }
        self.path = path
        self.query = query
    }
}
