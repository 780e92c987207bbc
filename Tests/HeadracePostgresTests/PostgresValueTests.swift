// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
@testable import HeadracePostgres
import HeadraceStorage
import Testing

@Suite struct PostgresValueTests {
    @Test func sortKeysHaveTheOrderOfTheirValues() {
        let values: [IndexValue] =
            [.min, -256, -1, 0, 1, 255, 256, .max].map { .integer($0) }
            + ["", "\0", "a", "a\0", "b", "é"].map { .text($0) }

        for (one, other) in zip(values, values.dropFirst()) {
            #expect(one.sortKey.lexicographicallyPrecedes(other.sortKey))
        }
        #expect(values.map { IndexValue(sortKey: $0.sortKey) } == values)
    }

    @Test(.needsServer) func valuesArriveAsTheyWereSent() async throws {
        try await withSchema { schema in
            let id = UUID()
            let row = try await schema.session { session in
                try await session.run(
                    """
                    SELECT $1, $2, $3, $4, $5, $6::bigint, ($7::bigint[])[2], ($8::bytea[])[1], ($8::bytea[])[2] IS NULL,
                        ($9::text[])[1], ($10::uuid[])[1], cardinality($11::bigint[])
                    """,
                    [
                        .integer(-7), .flag(true), .text([UInt8]("é")), .bytes([0, 255]), .id(id), .integer(nil),
                        .integers([nil, .max]), .byteStrings([[], nil]), .texts([[UInt8]("t")]), .ids([id]),
                        .integers([]),
                    ]
                ).first
            }

            let values = try #require(row)
            #expect(try values.integer(0) == -7)
            #expect(try values.flag(1))
            #expect(try values.text(2) == "é")
            #expect(Array(try values.bytes(3)) == [0, 255])
            #expect(try values.id(4) == id)
            #expect(values.optionalInteger(5) == nil)
            #expect(try values.integer(6) == .max)
            #expect(try values.bytes(7).isEmpty)
            #expect(try values.flag(8))
            #expect(try values.text(9) == "t")
            #expect(try values.id(10) == id)
            #expect(try values.integer(11) == 0)
        }
    }

    @Test func refusalsAreReadFromTheAnswer() throws {
        let refusals = try CommitRefusal.list(#"[[3, 4, 2, 7, null], [5, 5, 1, null, "c3a900"]]"#)

        #expect(refusals.map(\.unit) == [3, 5])
        #expect(refusals.map(\.cause) == [.write, .unique])
        #expect(refusals.map(\.item) == [2, 1])
        #expect(refusals.map(\.stored) == [7, nil])
        #expect(refusals.map(\.other) == ["", "é\0"])
        #expect(try CommitRefusal.list("[]").isEmpty)
    }
}
#endif
