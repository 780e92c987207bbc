// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceStorage
import Testing

@Suite struct IndexValueTests {
    @Test func numbersPrecedeTextAndTextIsOrderedByBytes() {
        let ordered: [IndexValue] = [
            .integer(.min), .integer(0), .integer(.max), .text(""), .text("\0"), .text("10"), .text("9"), .text("Z"),
            .text("a"), .text("e\u{301}"), .text("\u{E9}"), .text("\u{FFFF}"), .text("\u{10000}"),
        ]

        #expect(ordered.shuffled().sorted() == ordered)
        #expect(Set(ordered).count == ordered.count)
    }

    @Test func datesAreMicrosecondsWithinTheRangeOfNumbers() {
        #expect(Date(timeIntervalSince1970: 1.5).indexValue == .integer(1_500_000))
        #expect(Date(timeIntervalSince1970: -0.000_000_5).indexValue == .integer(-1))
        #expect(Date.distantFuture.indexValue == .integer(64_092_211_200_000_000))
        #expect(Date(timeIntervalSince1970: 1e30).indexValue == .integer(.max))
        #expect(Date(timeIntervalSince1970: -1e30).indexValue == .integer(.min))
        #expect(Date(timeIntervalSince1970: .infinity).indexValue == .integer(.max))
    }

    @Test func standardTypesAndTheirWrappersAreIndexValues() throws {
        enum Level: Int, IndexValueConvertible { case low = 1, high }
        enum Colour: String, IndexValueConvertible { case red }
        let uuid = try #require(UUID(uuidString: "01234567-89AB-7DEF-8000-0123456789AB"))

        #expect(Level.high.indexValue == .integer(2))
        #expect(Colour.red.indexValue == .text("red"))
        #expect(true.indexValue == .integer(1))
        #expect(uuid.indexValue == .text("01234567-89ab-7def-8000-0123456789ab"))
    }

    @Test func identifiersHaveStableKeys() throws {
        struct CustomerID: RawRepresentable, EntityIdentifier { var rawValue: UUID }
        let uuid = try #require(UUID(uuidString: "01234567-89AB-7DEF-8000-0123456789AB"))

        #expect(CustomerID(rawValue: uuid).storageKey == "01234567-89ab-7def-8000-0123456789ab")
        #expect((-7).storageKey == "-7")
        #expect("A key".storageKey == "A key")
        #expect(Array("e\u{301}".storageKey.utf8) == Array("\u{E9}".utf8))
    }
}
