// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import Testing

@Suite struct UUIDTextTests {
    @Test func theTextEqualsTheTextOfFoundation() {
        let fixed = ["00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"]
        for id in fixed.compactMap(UUID.init(uuidString:)) + (0..<1_000).map({ _ in UUID() }) {
            #expect(id.text(.capital) == id.uuidString)
            #expect(id.text() == id.uuidString.lowercased())
        }
    }

    @Test func uppercaseAndLowercaseTextIsParsed() {
        for id in (0..<1_000).map({ _ in UUID() }) {
            #expect(UUID(text: id.uuidString.utf8) == id)
            #expect(UUID(text: id.uuidString.lowercased().utf8) == id)
        }
    }

    @Test func textWithOneWrongCharacterIsNotParsed() {
        let text = UUID().uuidString
        for place in text.indices {
            for wrong in ["", "g", "G", "-0", " ", "é", "\u{0}", "/", ":", "@", "`"] {
                let near = text.replacingCharacters(in: place...place, with: wrong)
                #expect(UUID(text: near.utf8) == nil, "\(near)")
            }
        }
        for near in ["", "-", text + "0", text + "-", " " + text, text.replacing("-", with: "")] {
            #expect(UUID(text: near.utf8) == nil, "\(near)")
        }
    }
}
