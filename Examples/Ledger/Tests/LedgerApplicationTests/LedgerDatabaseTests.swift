// SPDX-License-Identifier: Apache-2.0

import Headrace
import LedgerApplication
import Testing

@Suite struct LedgerDatabaseTests {
    @Test(arguments: [
        ("ledger.sqlite", LedgerDatabase.file("ledger.sqlite")), ("", .file("")),
        ("postgres.sqlite", .file("postgres.sqlite")),
        ("postgres://", .server(url: "postgres://", schema: nil)),
        (
            "postgresql://a:b@h1,h2:5433/books?sslmode=require",
            .server(url: "postgresql://a:b@h1,h2:5433/books?sslmode=require", schema: nil)
        ),
        ("postgres:///books?schema=my%20books", .server(url: "postgres:///books", schema: "my books")),
        (
            "postgres://h/b?host=/run&schema=x&sslmode=disable",
            .server(url: "postgres://h/b?host=/run&sslmode=disable", schema: "x")
        ),
    ])
    func aTextNamesAFileOrASchemaOfAServer(text: String, database: LedgerDatabase) {
        #expect(LedgerDatabase(text) == database)
    }

    #if Postgres
    @Test func aServerThatDoesNotAnswerIsUnreachable() async throws {
        let error = await #expect(throws: StoreError.self) {
            try await LedgerDatabase("postgres:///books?host=/nonexistent").open()
        }
        #expect(error?.code == .unreachable)
    }
    #else
    @Test func aProgramWithoutPostgreSQLSaysHowToBuildIt() async throws {
        let error = await #expect(throws: StoreError.self) { try await LedgerDatabase("postgres:///books").open() }
        #expect(error?.code == .unusable)
        #expect(error?.message.contains("--traits Postgres") == true)
    }
    #endif
}
