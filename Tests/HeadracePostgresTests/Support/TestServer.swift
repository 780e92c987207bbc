// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
@testable import HeadracePostgres
import Testing

/// The server of the tests, which `Scripts/postgres` starts.
enum TestServer {
    /// The URL of the server, or `nil` if the tests run without one.
    static let url = ProcessInfo.processInfo.environment["HEADRACE_POSTGRES_URL"]

    /// The folder of the server's socket, for tests that put a proxy between.
    static let folder = ProcessInfo.processInfo.environment["HEADRACE_POSTGRES_FOLDER"]

    /// Why tests are skipped.
    static let isMissing: Comment = """
        SKIPPED: the tests of the store on PostgreSQL need a server. To run them: Scripts/postgres Scripts/test
        """
}

extension Trait where Self == ConditionTrait {
    /// Skips the tests if no server runs.
    static var needsServer: Self { .enabled(if: TestServer.url != nil, TestServer.isMissing) }
}

/// A schema of a test, which is removed at its end.
struct TestSchema: Sendable {
    let url: String
    let name: String

    var configuration: PostgresStore.Configuration {
        var configuration = PostgresStore.Configuration()
        configuration.schema = name
        return configuration
    }

    /// Runs statements on a connection of their own, and returns the rows of the last one.
    @discardableResult
    func run(_ statements: String...) async throws -> PostgresRows {
        try await session { session in
            var rows = PostgresRows()
            for statement in statements { rows = try await session.run(statement, isPrepared: false) }
            return rows
        }
    }

    /// Runs `body` with a connection.
    nonisolated(nonsending) func session<Result>(
        _ body: nonisolated(nonsending) (Session) async throws -> Result
    ) async throws -> Result {
        let thread = try PollingThread()
        defer { thread.stop() }
        let target = SessionTarget(
            url: url, schema: name, connectTimeout: 10, timeout: .seconds(60), lockTimeout: .seconds(10))
        return try await body(try await Session.connect(target, on: thread))
    }
}

/// Runs `body` with an empty schema.
nonisolated(nonsending) func withSchema<Result>(
    _ body: nonisolated(nonsending) (TestSchema) async throws -> Result
) async throws -> Result {
    let url = try #require(TestServer.url)
    let schema = TestSchema(url: url, name: "test \"\(UUID())\"")
    let result: Result
    do {
        result = try await body(schema)
    } catch {
        _ = try? await schema.run("DROP SCHEMA IF EXISTS \(schema.quotedName) CASCADE")
        throw error
    }
    try await schema.run("DROP SCHEMA IF EXISTS \(schema.quotedName) CASCADE")
    return result
}

extension TestSchema {
    var quotedName: String { "\"\(name.replacing("\"", with: "\"\""))\"" }
}
#endif
