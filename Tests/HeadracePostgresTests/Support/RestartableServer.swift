// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import Synchronization

/// A server of one test, which can be killed and started again.
final class RestartableServer: Sendable {
    let folder: String
    private let settings: [String]
    private let process = Mutex<Process?>(nil)

    /// The connection string; several servers are several hosts.
    static func url(_ servers: RestartableServer...) -> String {
        let hosts = servers.map(\.folder).joined(separator: ",")
        return "host=\(hosts) user=headrace dbname=postgres target_session_attrs=read-write"
    }

    /// Makes the data of a server with `settings`, or copies the data of `primary` and becomes its standby.
    init(standbyOf primary: RestartableServer? = nil, settings: [String] = []) async throws {
        self.settings = (["listen_addresses=", "fsync=off"] + settings).flatMap { ["-c", $0] }
        folder = try TestProgram.makeFolder("s\(UUID().uuidString.prefix(8))")
        if let primary {
            try await TestProgram.run(
                "pg_basebackup",
                [
                    "-D", folder + "/data", "-h", primary.folder, "-U", "headrace", "-R", "-X", "stream", "-c", "fast",
                    "-N",
                ])
        } else {
            try await TestProgram.run(
                "initdb",
                ["-D", folder + "/data", "-U", "headrace", "-A", "trust", "-E", "UTF8", "--locale", "C", "--no-sync"])
        }
        try await start()
    }

    /// Starts the server, and returns when it accepts connections.
    ///
    /// After a kill, it refuses to start until the last process of its predecessor has ended, so it is started again.
    func start() async throws {
        var refusal = TestProgram.Failure(output: "")
        for _ in 0..<200 {
            do {
                let started = try await TestProgram.start(
                    "postgres",
                    ["-D", folder + "/data", "-k", folder] + settings,
                    until: "ready to accept"
                )
                return process.withLock { $0 = started }
            } catch let failure as TestProgram.Failure {
                refusal = failure
            }
        }
        throw refusal
    }

    /// Kills the server and its processes without warning.
    func kill() {
        guard let process = process.withLock(\.self) else { return }
        let number = process.processIdentifier
        let children = try? String(contentsOfFile: "/proc/\(number)/task/\(number)/children", encoding: .utf8)
        let all = (children ?? "").split(separator: " ").compactMap { Int32($0) }
        for child in [number] + all { _ = Foundation.kill(child, SIGKILL) }
    }

    /// Makes a standby the primary.
    func promote() async throws {
        try await TestProgram.run("pg_ctl", ["promote", "-w", "-D", folder + "/data"])
    }
}
#endif
