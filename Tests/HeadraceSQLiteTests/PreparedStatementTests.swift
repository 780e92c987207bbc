// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import Testing

@testable import HeadraceSQLite

@Suite struct PreparedStatementTests {
    @Test(arguments: ["", "plain", "é", "\0", "a\u{1}b", String(repeating: "long ", count: 10_000)])
    func aTextComesBackAsItWasBound(text: String) throws {
        try withTable { database in
            try database.run("INSERT INTO value (text) VALUES (?)") { $0.bind(text) }

            let stored = try database.withPreparedStatement("SELECT text FROM value") { statement in
                try statement.next() ? try statement.text(0) : nil
            }

            #expect(stored == text)
            #expect(try String.fetchOne(database, sql: "SELECT text FROM value") == SQLText(text).escaped)
        }
    }

    @Test(arguments: [Data(), Data("{}".utf8)])
    func bytesAreStoredAsText(bytes: Data) throws {
        try withTable { database in
            try database.run("INSERT INTO value (text) VALUES (?)") { $0.bind(utf8: bytes) }

            #expect(try String.fetchOne(database, sql: "SELECT typeof(text) FROM value") == "text")
            let stored = try database.withPreparedStatement("SELECT text FROM value") { statement in
                try statement.next() ? try statement.utf8(0) : nil
            }
            #expect(stored == bytes)
        }
    }

    @Test func aMissingValueIsNull() throws {
        try withTable { database in
            try database.run("INSERT INTO value (text, number) VALUES (?, ?)") { statement in
                statement.bind(nil as String?)
                statement.bind(nil as Int64?)
            }

            #expect(try database.integer("SELECT count(*) FROM value WHERE text IS NULL AND number IS NULL") == 1)
            #expect(try database.integer("SELECT number FROM value") == nil)
        }
    }

    @Test func argumentsOfTheLastRunAreNotKept() throws {
        try withTable { database in
            let insertion = "INSERT INTO value (text, number) VALUES (?, ?)"
            try database.run(insertion) { statement in
                statement.bind("a")
                statement.bind(1)
            }

            try database.run(insertion) { $0.bind("b") }

            #expect(try database.integer("SELECT number FROM value WHERE text = 'a'") == 1)
            #expect(try database.integer("SELECT number FROM value WHERE text = 'b'") == nil)
        }
    }

    @Test func aNumberOutOfRangeAndAValueOfAnotherTypeAreCorrupt() throws {
        try withTable { database in
            try database.run("INSERT INTO value (text, number) VALUES ('1', 256)")
            try database.withPreparedStatement("SELECT text, number FROM value") { statement in
                let hasRow = try statement.next()
                #expect(hasRow)

                let number = #expect(throws: DatabaseError.self) { let _: Int64 = try statement.integer(0) }
                let range = #expect(throws: DatabaseError.self) { let _: UInt8 = try statement.integer(1) }
                let text = #expect(throws: DatabaseError.self) { try statement.text(1) }

                #expect([number, range, text].allSatisfy { $0?.resultCode == .SQLITE_CORRUPT })
                #expect(number?.sql == "SELECT text, number FROM value")
            }
        }
    }

    @Test func aFailedStatementThrowsTheErrorOfGRDBAndRunsAgain() throws {
        try withTable { database in
            let insertion = "INSERT INTO value (id) VALUES (?)"
            try database.run(insertion) { $0.bind(1) }

            let error = #expect(throws: DatabaseError.self) { try database.run(insertion) { $0.bind(1) } }
            let expected = #expect(throws: DatabaseError.self) {
                try database.execute(sql: "INSERT INTO value (id) VALUES (1)")
            }

            #expect(error?.extendedResultCode == expected?.extendedResultCode)
            #expect(error?.message == expected?.message)
            try database.run(insertion) { $0.bind(2) }
            #expect(try database.integer("SELECT count(*) FROM value") == 2)
        }
    }

    @Test func aTransactionThatThrowsStoresNothing() throws {
        try withTable { database in
            struct Stop: Error {}

            #expect(throws: Stop.self) {
                try database.inWriteTransaction {
                    try database.run("INSERT INTO value (id) VALUES (1)")
                    throw Stop()
                }
            }

            #expect(!database.isInsideTransaction)
            let count = try database.integer("SELECT count(*) FROM value")
            #expect(count == 0)
        }
    }

    // MARK: Helpers

    private func withTable(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue().writeWithoutTransaction { database in
            try database.execute(sql: "CREATE TABLE value (id INTEGER PRIMARY KEY, text TEXT, number INTEGER)")
            try body(database)
        }
    }
}
#endif
