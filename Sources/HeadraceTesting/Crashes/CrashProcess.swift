// SPDX-License-Identifier: Apache-2.0

#if os(macOS) || os(Linux)
package import Foundation
public import HeadraceCore

/// A running process of a program that the tests have built, which can end or stop itself at a fault point.
///
/// The process is killed if the task that waits for it is cancelled, and with this object.
package actor CrashProcess {
    /// How the process ended; `nil` while it runs.
    ///
    /// Known after ``linesToEnd()``.
    private(set) var end: ChildProcess.End?

    /// Whether the process stopped at its fault point.
    ///
    /// Known after ``linesToStop()``.
    package private(set) var hasStopped = false

    private let process: ChildProcess
    private var unread = ""

    /// Starts a program that stands beside the tests.
    ///
    /// - Parameters:
    ///   - program: The name of the executable target.
    ///   - arguments: The arguments of the process.
    ///   - fault: The point at which the process ends or stops; `nil` for none.
    ///   - folder: The working folder; `nil` for that of the tests.
    /// - Throws: ``CrashTestError`` with the code `programMissing`, or an error of the operating system.
    package init(_ program: String, _ arguments: [String], fault: CrashFault? = nil, folder: URL? = nil) throws {
        let path = Self.folder.appending(path: program).path
        if !FileManager.default.isExecutableFile(atPath: path) { throw CrashTestError.missing(program, at: path) }
        let environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix(CrashFault.prefix) }
            .merging(fault?.variables ?? [:]) { $1 }
        // The C library of Linux doesn't declare the file action that changes the folder.
        let shell = folder.map { ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, $0.path] } ?? []
        process = try ChildProcess(shell + [path] + arguments, environment: environment)
    }

    /// The folder of the tests and of the programs that are built with them.
    private static var folder: URL {
        #if os(macOS)
        // The tests are a bundle, which another program has loaded.
        Bundle(for: ChildProcess.self).bundleURL.deletingLastPathComponent()
        #else
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        #endif
    }

    /// Whether SIGKILL ended the process.
    ///
    /// Known after ``linesToEnd()``.
    package var wasKilled: Bool { end == .signal(SIGKILL) }

    /// The end of the process and its standard error, for a message.
    func report() async -> String {
        let text = ((try? await process.errors.value) ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        return
            "\(end.map { "\($0)" } ?? "it runs"). \(text.isEmpty ? "It printed no error." : "Its standard error: \(text)")"
    }

    /// Waits until the process ends, and returns the lines that it printed since the last read.
    ///
    /// - Throws: `CancellationError`; an error of the operating system.
    package func linesToEnd() async throws -> [String] {
        try await killingIfCancelled {
            while try await readMore() {}
            end = try await process.waitForEnd()
        }
        return takeLines()
    }

    /// Waits until the process stops or ends, and returns the lines that it printed.
    ///
    /// Other threads can print lines until the signal stops them.
    ///
    /// - Throws: The same errors as ``linesToEnd()``.
    package func linesToStop() async throws -> [String] {
        try await killingIfCancelled {
            while !unread.contains(CrashFault.stopLine + "\n") {
                guard try await readMore() else { return }
            }
            try await process.waitForStop()
            hasStopped = true
            unread += String(decoding: try process.readWithoutWaiting(), as: UTF8.self)
        }
        return takeLines()
    }

    /// Waits until the process prints a line, and returns the line; `nil` if the process has ended.
    ///
    /// - Throws: The same errors as ``linesToEnd()``.
    package func nextLine() async throws -> String? {
        try await killingIfCancelled {
            while !unread.contains("\n"), try await readMore() {}
        }
        guard let end = unread.firstIndex(of: "\n") else { return nil }
        defer { unread = String(unread[end...].dropFirst()) }
        return String(unread[..<end])
    }

    /// Writes `line` to the standard input of the process.
    package func write(_ line: String) throws {
        try process.write(line + "\n")
    }

    /// Resumes the process after it stopped.
    package func resume() {
        process.send(SIGCONT)
    }

    private func killingIfCancelled(_ body: () async throws -> Void) async throws {
        try await withTaskCancellationHandler {
            try await body()
        } onCancel: {
            process.send(SIGKILL)
        }
        try Task.checkCancellation()
    }

    /// Waits for output.
    ///
    /// Returns `false` when there is no more.
    private func readMore() async throws -> Bool {
        let data = try await process.read()
        unread += String(decoding: data, as: UTF8.self)
        return !data.isEmpty
    }

    private func takeLines() -> [String] {
        // The text after the last line break is an incomplete line.
        let end = unread.lastIndex(of: "\n") ?? unread.startIndex
        defer { unread = String(unread[end...]) }
        return unread[..<end].split(separator: "\n").map(String.init).filter { $0 != CrashFault.stopLine }
    }
}

/// An error of a ``CrashTest``.
///
/// Branch on ``code``, log ``message``. Later releases may add codes.
public struct CrashTestError: CodedError {
    /// The kind of error, stable enough to branch on.
    public typealias Code = ErrorCode<CrashTestError>

    /// The kind of error.
    public let code: Code

    /// The error and how to fix it, in one sentence each.
    public let message: String

    static func missing(_ program: String, at path: String) -> CrashTestError {
        CrashTestError(
            code: .programMissing,
            message: """
                There is no program '\(program)' beside the tests, at '\(path)'. To fix, name an executable target, and add \
                "\(program)" to the 'dependencies' of the test target.
                """
        )
    }
}

extension ErrorCode<CrashTestError> {
    /// The program isn't in the folder of the tests.
    public static var programMissing: Self { Self() }
}
#endif
