// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import Headrace
import HeadraceTesting
import Testing

@testable import shop

/// Orders that psql places.
@Suite(.enabled(if: Server.url != nil, Server.isMissing), .timeLimit(.minutes(1))) struct OrderScriptTests {
    @Test func anOrderOfAnySQLClientIsConfirmedAndCounted() async throws {
        try await Server.withDatabase { url in
            try await psql(url, "--file", Server.file("tables.sql"))
            let mailer = RecordingMailer()
            let store = try await PostgresStore(url: url, entities: [])
            let container = try makeContainer(store: store, mailer: mailer, sales: .postgres)

            try await TestRelay.run(container.resolve()) { relay in
                try await psql(url, "--set", "customer=Ada", "--set", "item=tea", "--file", Server.file("order.sql"))
                try await relay.untilIdle()
                #expect(mailer.texts == ["To Ada: Thank you for your order: tea"])
                #expect(try await psql(url, "--command", "SELECT item, count FROM shop.sales") == "tea|1\n")

                let raise = """
                    SELECT headrace.raise('order-placed', '{"order":2,"customer":"Ada","item":"tea"}', 'purchase', '2')
                    """
                try await psql(url, "--command", "BEGIN", "--command", raise, "--command", "ROLLBACK")
                try await relay.untilIdle()
                #expect(mailer.keys.count == 1)
            }
            try store.close()
        }
    }
}

/// The server that `Scripts/postgres` starts.
private enum Server {
    static let url = ProcessInfo.processInfo.environment["HEADRACE_POSTGRES_URL"]
    static let isMissing: Comment = "SKIPPED: no server. To run it, use Scripts/postgres."

    static func file(_ name: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../\(name)")
            .path(percentEncoded: false)
    }

    /// Runs `body` with the URL of an empty database, and drops the database.
    static func withDatabase(_ body: (String) async throws -> Void) async throws {
        let server = try #require(url)
        let name = "shop_\(UUID().uuidString.prefix(8).lowercased())"
        try await psql(server, "--command", "CREATE DATABASE \(name)")
        do {
            try await body(server.replacing("/postgres?", with: "/\(name)?"))
        } catch {
            try await psql(server, "--command", "DROP DATABASE \(name) WITH (FORCE)")
            throw error
        }
        try await psql(server, "--command", "DROP DATABASE \(name) WITH (FORCE)")
    }
}

private struct PsqlError: Error {
    let output: String
}

/// Runs psql, and returns its output.
@discardableResult
private func psql(_ url: String, _ arguments: String...) async throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["psql", "-qAt", "--no-psqlrc", "--set", "ON_ERROR_STOP=1", "--dbname", url] + arguments
    process.standardOutput = output
    process.standardError = output
    let (statuses, status) = AsyncStream<Int32>.makeStream()
    process.terminationHandler = { status.yield($0.terminationStatus) }
    try process.run()
    let code = await statuses.first { _ in true }
    let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    if code != 0 { throw PsqlError(output: text) }
    return text
}
#endif
