// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A process that a test has started, with pipes to its standard input and from its standard output.
///
/// A function that waits for the process does it on a new thread. The tests' tasks have only one thread for each processor, and
/// two tests that wait on these threads would stop all others.
///
/// Foundation's `Process` isn't used: it keeps the pipes of a process that has ended, and on Linux it reads beyond its memory
/// when a program has more than 1,300 open files.
///
/// Unsafe code: the calls of the operating system take pointers to local variables, which outlive the calls. The arguments are
/// copied with `strdup` and freed after the call that reads them.
final class ChildProcess: Sendable {
    /// How a process ended.
    enum End: Equatable {
        case exit(status: Int32)
        case signal(Int32)
    }

    /// The call of the operating system that failed, and its error number.
    struct Failure: Error {
        let call: String
        let number: Int32
    }

    /// Held until the new pipes are closed in other children.
    ///
    /// If a child had the pipes of another child, a test would wait in
    /// vain for their end.
    private static let starting = Mutex(())

    private let identifier: pid_t
    private let input: FileHandle
    private let output: FileHandle
    private let hasEnded = Atomic(false)

    /// Starts the program at `path`.
    init(path: String, arguments: [String]) throws {
        let environment = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
        (identifier, input, output) = try Self.starting.withLock { _ in
            let (input, output) = (Pipe(), Pipe())
            for handle in [
                input.fileHandleForReading, input.fileHandleForWriting, output.fileHandleForReading,
                output.fileHandleForWriting,
            ] { _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC) }
            let identifier = try Self.start(
                [path] + arguments, environment, input: input.fileHandleForReading, output: output.fileHandleForWriting)
            try input.fileHandleForReading.close()
            try output.fileHandleForWriting.close()
            return (identifier, input.fileHandleForWriting, output.fileHandleForReading)
        }
    }

    deinit {
        // A test that failed doesn't wait for its processes. Until the wait, no other process gets the identifier.
        if !hasEnded.load(ordering: .acquiring) {
            send(SIGKILL)
            _ = try? wait(for: WEXITED)
        }
        try? input.close()
        try? output.close()
    }

    /// Writes `text` to the standard input of the process.
    func write(_ text: String) throws {
        try input.write(contentsOf: Data(text.utf8))
    }

    /// Waits for output.
    ///
    /// Returns no bytes when the process has closed its standard output.
    func read() async throws -> Data {
        try await onThread { try $0.read() }
    }

    /// Returns the output that is there already.
    func readWithoutWaiting() throws -> Data {
        var output = Data()
        while true {
            var descriptor = pollfd(fd: self.output.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&descriptor, 1, 0) == 1, descriptor.revents & Int16(POLLIN) != 0 else { return output }
            let more = try read()
            if more.isEmpty { return output }
            output += more
        }
    }

    /// Sends a signal to the process.
    func send(_ signal: Int32) {
        _ = kill(identifier, signal)
    }

    /// Waits until a signal has stopped the process.
    func waitForStop() async throws {
        _ = try await onThread { try $0.wait(for: WSTOPPED | WNOWAIT) }
    }

    /// Waits until the process ends.
    ///
    /// Can be called once.
    func waitForEnd() async throws -> End {
        try await onThread { process in
            defer { process.hasEnded.store(true, ordering: .releasing) }
            return try process.wait(for: WEXITED)
        }
    }

    /// Waits for one byte or more.
    ///
    /// `FileHandle.read(upToCount:)` would wait for all of them.
    private func read() throws -> Data {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe Foundation.read(output.fileDescriptor, &bytes, bytes.count)
            if count >= 0 { return Data(bytes[..<count]) }
            guard errno == EINTR else { throw Failure(call: "read", number: errno) }
        }
    }

    private func wait(for states: Int32) throws -> End {
        var information = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(identifier), &information, states) != 0 {
            guard errno == EINTR else { throw Failure(call: "waitid", number: errno) }
        }
        #if canImport(Darwin)
        let status = unsafe information.si_status
        #else
        let status = unsafe information._sifields._sigchld.si_status
        #endif
        return unsafe information.si_code == CLD_EXITED ? .exit(status: status) : .signal(status)
    }

    private func onThread<Result: Sendable>(
        _ body: @escaping @Sendable (ChildProcess) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Swift.Result { try body(self) }) }
        }
    }

    private static func start(
        _ arguments: [String],
        _ environment: [String],
        input: FileHandle,
        output: FileHandle
    ) throws -> pid_t {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = unsafe posix_spawn_file_actions_t()
        #endif
        try unsafe check("posix_spawn_file_actions_init", posix_spawn_file_actions_init(&actions))
        defer { unsafe _ = posix_spawn_file_actions_destroy(&actions) }
        for (file, number) in [(input, STDIN_FILENO), (output, STDOUT_FILENO)] {
            try unsafe check(
                "posix_spawn_file_actions_adddup2",
                posix_spawn_file_actions_adddup2(&actions, file.fileDescriptor, number))
        }
        var identifier: pid_t = 0
        try unsafe withPointers(to: arguments) { words in
            try unsafe withPointers(to: environment) { variables in
                try unsafe check(
                    "posix_spawn", posix_spawn(&identifier, arguments[0], &actions, nil, words, variables))
            }
        }
        return identifier
    }

    private static func check(_ call: String, _ number: Int32) throws {
        if number != 0 { throw Failure(call: call, number: number) }
    }

    /// Calls `body` with a list of pointers to copies of `texts`, which ends with `nil`.
    private static func withPointers(
        to texts: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) throws -> Void
    ) throws {
        let pointers = unsafe texts.map { unsafe strdup($0) }
        defer { unsafe pointers.forEach { unsafe free($0) } }
        try unsafe body(pointers + [nil])
    }
}
