// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore

// Every event has an origin, and most origins name two messages and nothing else. That form is written and read here;
// all other values use the JSON coders.
extension MessageOrigin {
    /// The JSON for a store.
    package var storedText: String {
        get throws {
            guard principalID == nil, trace.isEmpty else {
                return String(decoding: try DocumentCoding.encode(self), as: UTF8.self)
            }
            let ids = [(Self.causation, causationID), (Self.correlation, correlationID)]
                .compactMap { begin, id in id.map { begin + $0.text(.capital) + Self.endOfID } }
            return "{" + ids.joined() + Self.noTrace
        }
    }

    /// Reads the JSON from a store.
    ///
    /// - Throws: `DecodingError` if the text is invalid.
    package init(storedText: String) throws {
        var rest = Array(storedText.utf8)[...]
        if Self.take("{", from: &rest) {
            let causationID = Self.takeID(after: Self.causation, from: &rest)
            let correlationID = Self.takeID(after: Self.correlation, from: &rest)
            if rest.elementsEqual(Self.noTrace.utf8) {
                self.init(causationID: causationID, correlationID: correlationID)
                return
            }
        }
        self = try DocumentCoding.decode(MessageOrigin.self, from: Data(storedText.utf8))
    }

    private static let causation = "\"causationID\":\""
    private static let correlation = "\"correlationID\":\""
    private static let endOfID = "\","
    private static let noTrace = "\"trace\":{}}"

    private static func take(_ text: String, from rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest.removeFirst(text.utf8.count)
        return true
    }

    private static func takeID(after begin: String, from rest: inout ArraySlice<UInt8>) -> UUID? {
        var after = rest
        guard take(begin, from: &after), let id = UUID(text: after.prefix(36)) else { return nil }
        after.removeFirst(36)
        guard take(endOfID, from: &after) else { return nil }
        rest = after
        return id
    }
}
