// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Cancels the task that calls this function.
///
/// Why this is safe: the reference to the task is used only while the closure runs, in the task itself.
package func cancelCurrentTask() {
    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
}

extension TestExecutor {
    /// Runs a job that `enqueue(_:)` received.
    ///
    /// Why this is safe: a job must run exactly once. `enqueue(_:)` stores each job once, and the only caller of this method
    /// removes the job from the storage under a lock first. Only one thread drains the storage at a time, because
    /// `isRunning` is set under the same lock. The executor lives longer than the call, as the draining closure retains it.
    func run(_ job: UnownedJob) {
        unsafe job.runSynchronously(
            isolatedTo: asUnownedSerialExecutor(),
            taskExecutor: asUnownedTaskExecutor()
        )
    }
}

extension TestHost {
    /// The executor of the actor.
    ///
    /// Why this is safe: the reference doesn't retain the executor. The actor does, for as long as it lives.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
}

#if os(macOS) || os(Linux)
/// A process that a test has started, with pipes to its standard input and from its outputs.
///
/// A function that waits for the process does it on a new thread. The tests' tasks have only one thread for each processor, and
/// two tests that wait on these threads would stop all others.
///
/// Foundation's `Process` isn't used: it keeps the pipes of a process that has ended, and on Linux it reads beyond its memory
/// when a program has more than 1,300 open files.
///
/// Why this is safe: the calls of the operating system take pointers to local variables, which outlive the calls. The arguments are
/// copied with `strdup` and freed after the call that reads them.
final class ChildProcess: Sendable {
    /// How a process ended.
    enum End: Equatable, CustomStringConvertible {
        case exit(status: Int32)
        case signal(Int32)

        var description: String {
            switch self {
            case .exit(let status): "it ended with status \(status)"
            case .signal(let number): "signal \(number) ended it"
            }
        }
    }

    /// The call of the operating system that failed, and its error number.
    struct Failure: Error {
        let call: String
        let number: Int32
    }

    /// Held until the new pipes are closed in other children.
    ///
    /// If a child had the pipes of another child, a test would wait in vain for their end.
    private static let starting = Mutex(())

    private let identifier: pid_t
    private let input: FileHandle
    private let output: FileHandle

    /// The text that the process prints to its standard error until it closes it.
    let errors: Task<String, any Error>

    /// Whether the process was waited for: until then, no other process gets its identifier.
    private let isReaped = Mutex(false)

    /// Starts a process.
    ///
    /// - Parameters:
    ///   - words: The path of the program and the arguments.
    ///   - environment: The variables of the process.
    /// - Throws: ``Failure``; an error of the operating system.
    init(_ words: [String], environment: [String: String]) throws {
        let variables = environment.map { "\($0)=\($1)" }
        let read: FileHandle
        (identifier, input, output, read) = try Self.starting.withLock { _ in
            let (input, output, errors) = (Pipe(), Pipe(), Pipe())
            for pipe in [input, output, errors] {
                for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
                    _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
                }
            }
            let ends = [input.fileHandleForReading, output.fileHandleForWriting, errors.fileHandleForWriting]
            let identifier = try Self.start(words, variables, ends)
            for end in ends { try end.close() }
            return (identifier, input.fileHandleForWriting, output.fileHandleForReading, errors.fileHandleForReading)
        }
        // The thread that reads doesn't keep the process alive.
        errors = Task { try await onThread { try Self.readToEnd(of: read) } }
    }

    deinit {
        // A test that failed doesn't wait for its processes.
        send(SIGKILL)
        try? reap()
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
        try await onThread { try Self.read(from: self.output) }
    }

    /// Returns the output that is there already.
    func readWithoutWaiting() throws -> Data {
        var output = Data()
        while true {
            var descriptor = pollfd(fd: self.output.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&descriptor, 1, 0) == 1, descriptor.revents & Int16(POLLIN) != 0 else { return output }
            let more = try Self.read(from: self.output)
            if more.isEmpty { return output }
            output += more
        }
    }

    /// Sends a signal to the process, unless the wait for its end is over.
    func send(_ signal: Int32) {
        isReaped.withLock { if !$0 { _ = kill(identifier, signal) } }
    }

    /// Waits until a signal has stopped or ended the process.
    func waitForStop() async throws {
        _ = try await onThread { try self.wait(for: WSTOPPED | WEXITED | WNOWAIT) }
    }

    /// Waits until the process ends.
    ///
    /// Can be called once.
    func waitForEnd() async throws -> End {
        try await onThread {
            let end = try self.wait(for: WEXITED | WNOWAIT)
            try self.reap()
            return end
        }
    }

    /// Waits for the end of the process, and gives its identifier back.
    private func reap() throws {
        try isReaped.withLock { isReaped in
            if !isReaped { _ = try wait(for: WEXITED) }
            isReaped = true
        }
    }

    /// Waits for one byte or more.
    ///
    /// `FileHandle.read(upToCount:)` would wait for all of them.
    private static func read(from handle: FileHandle) throws -> Data {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe Foundation.read(handle.fileDescriptor, &bytes, bytes.count)
            if count >= 0 { return Data(bytes[..<count]) }
            guard errno == EINTR else { throw Failure(call: "read", number: errno) }
        }
    }

    private static func readToEnd(of handle: FileHandle) throws -> String {
        var text = Data()
        while true {
            let more = try read(from: handle)
            text += more
            if more.isEmpty { break }
        }
        try handle.close()
        return String(decoding: text, as: UTF8.self)
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

    /// Starts a process with the given standard input, output, and error.
    private static func start(
        _ words: [String],
        _ variables: [String],
        _ streams: [FileHandle]
    ) throws -> pid_t {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = unsafe posix_spawn_file_actions_t()
        #endif
        try unsafe check("posix_spawn_file_actions_init", posix_spawn_file_actions_init(&actions))
        defer { unsafe _ = posix_spawn_file_actions_destroy(&actions) }
        for (number, stream) in streams.enumerated() {
            try unsafe check(
                "posix_spawn_file_actions_adddup2",
                posix_spawn_file_actions_adddup2(&actions, stream.fileDescriptor, Int32(number)))
        }
        var identifier: pid_t = 0
        try unsafe withPointers(to: words) { pointers in
            try unsafe withPointers(to: variables) { variables in
                try unsafe check(
                    "posix_spawn", posix_spawn(&identifier, words[0], &actions, nil, pointers, variables))
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

/// Runs `body` on a new thread.
private func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
    }
}
#endif
