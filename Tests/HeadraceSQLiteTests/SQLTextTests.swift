// SPDX-License-Identifier: Apache-2.0

#if SQLite
import GRDB
import Testing

@testable import HeadraceSQLite

@Suite struct SQLTextTests {
    @Test func textsOfTheFirstScalarsRoundTripAndKeepTheirOrder() throws {
        let scalars = ["\0", "\u{1}", "\u{2}", "a"]
        var texts = [""]
        for _ in 1...4 {
            texts += texts.flatMap { text in scalars.map { text + $0 } }
        }
        texts = Array(Set(texts)).sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }

        let stored = try texts.map { try #require(String.fromDatabaseValue(SQLText($0).databaseValue)) }

        #expect(stored.allSatisfy { !$0.utf8.contains(0) })
        #expect(Set(stored).count == texts.count)
        #expect(stored.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) } == stored)
        #expect(stored.map { SQLText.fromDatabaseValue($0.databaseValue)?.text } == texts)
    }

    @Test(arguments: ["", "plain", "é", "👩‍👩‍👧‍👦", "\u{2}\u{7F}"])
    func otherTextIsStoredUnchanged(text: String) {
        #expect(SQLText(text).databaseValue == text.databaseValue)
    }
}
#endif
