// SPDX-License-Identifier: Apache-2.0

import HeadraceStorage
import Testing

@Suite struct ReplayNamesTests {
    @Test(arguments: [[], [""], ["a"], ["a", "", "b,x"], ["\u{0}é", "\u{FEFF}🐟"]] as [Set<String>])
    func namesAreReadAsTheyWereStored(names: Set<String>) {
        let text = ReplayNames.text(of: names)

        #expect(ReplayNames.names(in: text) == names)
        #expect(text.utf8.allSatisfy { "x,0123456789abcdef".utf8.contains($0) })
    }

    @Test func theStoredFormIsHexadecimal() {
        #expect(ReplayNames.text(of: ["b", "A\n"]) == "x410a,x62")
    }
}
