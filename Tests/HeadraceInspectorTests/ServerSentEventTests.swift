// SPDX-License-Identifier: Apache-2.0

import HeadraceInspector
import Testing

@Suite struct ServerSentEventTests {
    @Test func eachLineOfTheDataIsALineOfTheEvent() {
        #expect(ServerSentEvent(data: "a\nb\r\n\rc").text == "data: a\ndata: b\ndata: \ndata: c\n\n")
        #expect(ServerSentEvent(data: "").text == "data: \n\n")
        #expect(ServerSentEvent(data: "a\u{2028}b\u{85}\u{B}c").text == "data: a\u{2028}b\u{85}\u{B}c\n\n")
    }

    @Test func nameAndIDComeFirst() {
        #expect(ServerSentEvent("seats", data: "3", id: "17").text == "id: 17\nevent: seats\ndata: 3\n\n")
    }

    @Test func namesIDsAndCommentsCannotAddFields() {
        #expect(
            ServerSentEvent("a\ndata: x", data: "3", id: "1\r\n\nevent: y\0").text
                == "id: 1event: y\nevent: adata: x\ndata: 3\n\n")
        #expect(ServerSentEvent.comment("a\n\ndata: x").text == ": adata: x\n\n")
    }

    @Test func jsonIsSortedAndOnOneLine() throws {
        let event = try ServerSentEvent("seats", json: ["b": "1\n2", "a": "/"])

        #expect(event.text == "event: seats\ndata: {\"a\":\"/\",\"b\":\"1\\n2\"}\n\n")
    }

    @Test func theTimeOfTheNextConnectionIsInMilliseconds() {
        #expect(ServerSentEvent.retry(after: .seconds(1)).text == "retry: 1000\n\n")
    }
}
