// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import Testing

/// A pgbouncer in transaction mode, which resets each connection of the server after each transaction.
struct Pooler {
    /// The path of pgbouncer, or `nil` if it isn't installed.
    static let program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/opt/homebrew/bin/pgbouncer"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    let url: String
    private let process: Process

    init(size: Int = 20) async throws {
        let folder = try TestProgram.makeFolder("p\(UUID().uuidString.prefix(8))")
        let server = try #require(TestServer.folder)
        let settings = """
            [databases]
            postgres = host=\(server) port=5432 user=headrace
            [pgbouncer]
            listen_addr =
            unix_socket_dir = \(folder)
            listen_port = 6432
            auth_type = any
            pool_mode = transaction
            default_pool_size = \(size)
            max_client_conn = 500
            server_reset_query = DISCARD ALL
            server_reset_query_always = 1
            """
        try settings.write(toFile: folder + "/pgbouncer.ini", atomically: false, encoding: .utf8)
        process = try await TestProgram.start(
            try #require(Self.program), [folder + "/pgbouncer.ini"], until: "process up")
        url = "postgresql://headrace@/postgres?host=\(folder)&port=6432"
    }

    func stop() {
        process.terminate()
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips the tests if pgbouncer isn't installed.
    static var needsPooler: Self {
        .enabled(if: Pooler.program != nil && TestProgram.folder != nil, "pgbouncer isn't installed")
    }
}
#endif
