// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceStorage
import Testing

@Suite struct MessageOriginTests {
    private static let origins = [nil, UUID(), .version7()].flatMap { causation in
        [nil, UUID()].flatMap { correlation in
            [nil, "", "ada", "\"quoted\", \\ and \u{1}"].flatMap { principal in
                [[:], ["traceparent": "00-1-2-01"], ["": "", "b": "ä"]].map { trace in
                    MessageOrigin(
                        causationID: causation,
                        correlationID: correlation,
                        principalID: principal,
                        trace: trace
                    )
                }
            }
        }
    }

    @Test func storedTextEqualsTheJSON() throws {
        for origin in Self.origins {
            #expect(try origin.storedText == String(decoding: DocumentCoding.encode(origin), as: UTF8.self))
            #expect(try MessageOrigin(storedText: origin.storedText) == origin)
        }
    }

    @Test func equivalentJSONIsReadToo() throws {
        let id = UUID()
        for text in [
            "{ \"trace\" : {}, \"causationID\" : \"\(id)\" }",
            "{\"causationID\":\"\(id.uuidString.lowercased())\",\"trace\":{}}",
            "{\"causationID\":\"\(id)\",\"trace\":{},\"later\":1}",
            "{\"causationID\":\"\(id)\",\"correlationID\":null,\"trace\":{}}",
        ] {
            #expect(try MessageOrigin(storedText: text) == MessageOrigin(causationID: id))
        }
    }

    /// Texts with one changed byte are read, or refused, exactly as a JSON decoder does.
    @Test func damagedTextIsReadOrRefusedAsByAJSONDecoder() throws {
        let text = try MessageOrigin(causationID: UUID(), correlationID: UUID()).storedText
        for place in text.indices {
            for wrong in ["", "0", "Z", "\"", "{", "}", ",", ":", " "] {
                let near = text.replacingCharacters(in: place...place, with: wrong)
                let read = try? MessageOrigin(storedText: near)
                #expect(read == (try? DocumentCoding.decode(MessageOrigin.self, from: Data(near.utf8))), "\(near)")
            }
        }
    }
}
