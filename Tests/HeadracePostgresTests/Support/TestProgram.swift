// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import Synchronization
import Testing

/// Programs of PostgreSQL, as the user of the server.
enum TestProgram {
    /// The folder of the programs, such as `initdb`.
    static let folder = ProcessInfo.processInfo.environment["HEADRACE_POSTGRES_PROGRAMS"]

    /// A refusal of a program, with its output.
    struct Failure: Error {
        let output: String
    }

    /// Starts a program, given by its path, or by its name in ``folder``.
    static func start(
        _ program: String,
        _ arguments: [String],
        output: Pipe? = nil,
        end: @escaping @Sendable (Process) -> Void = { _ in }
    ) async throws -> Process {
        let path = program.hasPrefix("/") ? program : try #require(folder) + "/" + program
        let process = Process()
        // A server refuses to run as root.
        let user = "setpriv --reuid nobody --regid nogroup --clear-groups --pdeathsig KILL --".split(separator: " ")
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = (getuid() == 0 ? user.map(String.init) : []) + [path] + arguments
        process.standardOutput = output ?? FileHandle.nullDevice
        process.standardError = output ?? FileHandle.nullDevice
        process.terminationHandler = end
        try await Launcher.shared.run(process)
        return process
    }

    /// Runs a program until it ends.
    ///
    /// - Throws: ``Failure`` if its status isn't 0.
    static func run(_ program: String, _ arguments: [String]) async throws {
        let output = Pipe()
        let (statuses, status) = AsyncStream<Int32>.makeStream()
        let process = try await start(program, arguments, output: output) {
            status.yield($0.terminationStatus)
            status.finish()
        }
        let isSuccess = await statuses.contains { $0 == 0 }
        withExtendedLifetime(process) {}
        if isSuccess { return }
        throw Failure(output: String(decoding: output.fileHandleForReading.availableData, as: UTF8.self))
    }

    /// Starts a server, and returns it when it has printed `text`.
    ///
    /// - Throws: ``Failure`` if it ends before.
    static func start(_ program: String, _ arguments: [String], until text: String) async throws -> Process {
        let output = Pipe()
        let printed = Mutex("")
        let (signals, signal) = AsyncStream<Void>.makeStream()
        let handle = output.fileHandleForReading
        // A thread reads on, so that a full pipe doesn't stop the server. `readabilityHandler` isn't used, because libdispatch
        // can crash if a handle is closed that it waits for.
        Thread.detachNewThread {
            while true {
                let data = handle.availableData
                if data.isEmpty { return signal.finish() }
                let isReady = printed.withLock { printed in
                    printed += String(decoding: data, as: UTF8.self)
                    return printed.contains(text)
                }
                if isReady { signal.yield() }
            }
        }
        let process = try await start(program, arguments, output: output) { _ in signal.finish() }
        for await _ in signals { return process }
        throw Failure(output: printed.withLock(\.self))
    }

    /// Makes a folder for a server below the folder of the test server.
    static func makeFolder(_ name: String) throws -> String {
        let folder = try #require(TestServer.folder) + "/" + name
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o777])
        // Without the umask.
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
        return folder
    }
}

/// Starts processes on a thread that never ends.
///
/// With `--pdeathsig`, the system ends a process when the thread ends that has started it, and threads of tasks come and go.
private final class Launcher: Sendable {
    static let shared = Launcher()

    private let jobs = Mutex<[@Sendable () -> Void]>([])
    private let signal = DispatchSemaphore(value: 0)

    private init() {
        Thread.detachNewThread { [self] in
            while true {
                signal.wait()
                let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                job?()
            }
        }
    }

    func run(_ process: Process) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            jobs.withLock { jobs in
                jobs.append { continuation.resume(with: Result { try process.run() }) }
            }
            signal.signal()
        }
    }
}

/// Runs `body` with the URL of a new database, made with `options`, whose sessions have other defaults.
nonisolated(nonsending) func withDatabase<Result>(
    _ options: String = "",
    settings: [String] = [],
    _ body: nonisolated(nonsending) (String) async throws -> Result
) async throws -> Result {
    let url = try #require(TestServer.url)
    let name = "test-\(UUID())"
    let server = TestSchema(url: url, name: "public")
    try await server.run("CREATE DATABASE \"\(name)\" TEMPLATE template0 \(options)")
    for setting in settings { try await server.run("ALTER DATABASE \"\(name)\" SET \(setting)") }
    let result = try await body(url.replacing("/postgres?", with: "/\(name)?"))
    try await server.run("DROP DATABASE \"\(name)\" WITH (FORCE)")
    return result
}
#endif
