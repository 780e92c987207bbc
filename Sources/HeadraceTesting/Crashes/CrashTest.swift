// SPDX-License-Identifier: Apache-2.0

#if os(macOS) || os(Linux)
public import Foundation
public import HeadraceStorage
import IssueReporting

/// Ends a program at its fault points, starts it again, and checks what it has left.
///
/// ```swift
/// let test = CrashTest(program: "ShopSubject", arguments: ["right"], handlers: ["mails"])
/// try await test.runKilling { run in
///     let placed = try await numbersOfOrders(in: run.folder)
///     for line in run.lines where line.hasPrefix("ordered") {
///         let number = Int(line.dropFirst("ordered ".count)) ?? 0
///         try run.require(placed.contains(number), "order \(number) was acknowledged, but lost")
///     }
///     try run.require(Set(placed).count == placed.count, "an order was placed twice: \(placed)")
///     let mailed = try numbersOfMails(in: run.folder)
///     try run.require(Set(mailed) == Set(placed), "orders \(placed), but mails \(mailed)")
/// }
/// ```
///
/// The program is an executable target of the package, on which the test target depends. It gives ``CrashFaults`` to its store and
/// domain, works in its working folder, and ends when its work is done. It finds the work that an earlier process has left, and
/// finishes it. Each run has an empty folder.
///
/// A violation in any run fails the test. So does a test that reaches no fault point, or not one of its handlers. If the task is
/// cancelled, for example by a time limit, the processes are killed.
public struct CrashTest: Sendable {
    /// One run of the program, for the check of its result.
    public struct Run: Sendable {
        /// The point at which the process was interrupted.
        public let point: FaultPoint

        /// The handler that passed the point; `nil` if the point belongs to no handler.
        public let handler: String?

        /// Number of the pass at which the process was interrupted, counting from 1.
        public let pass: Int

        /// The working folder of the processes, which is removed after the check.
        public let folder: URL

        /// Whether the process was interrupted; otherwise it ended before it passed the point so often.
        public internal(set) var isInterrupted = false

        /// The lines that the interrupted process printed, which are the work that it has acknowledged.
        public internal(set) var lines: [String] = []

        /// The lines of the process that finished the work; empty if the first process was not interrupted.
        public internal(set) var successorLines: [String] = []

        /// Reports a violation unless `condition` is true.
        ///
        /// - Throws: An error with the text `violation`, which the check must not catch.
        public func require(_ condition: Bool, _ violation: @autoclosure () -> String) throws {
            if !condition { throw CrashViolation(description: violation()) }
        }
    }

    private let program: String
    private let arguments: [String]
    private let points: [FaultPoint]
    private let handlers: [String]
    private let passes: [Int]

    /// Creates a test of a program.
    ///
    /// - Parameters:
    ///   - program: The name of the executable target.
    ///   - arguments: The arguments of each process.
    ///   - points: The points of the store, and those that the program declares.
    ///   - handlers: The handlers of the relay at whose points the process is interrupted, too: before each handler, after it and
    ///     before its changes are stored, and after they are stored. A handler of events is named by its subscription, and the
    ///     handler of a durable command by the `commandName`.
    ///   - passes: The passes of each point at which a process is interrupted, counting from 1. Each makes a run.
    public init(
        program: String,
        arguments: [String] = [],
        points: [FaultPoint] = [.commitQueued, .beforeCommit, .afterCommit, .afterLease, .beforeAcknowledge],
        handlers: [String] = [],
        passes: [Int] = [1, 2]
    ) {
        self.program = program
        self.arguments = arguments
        self.points = points
        self.handlers = handlers
        self.passes = passes
    }

    /// Kills the program with SIGKILL in each run, starts it again, and calls `check` when the second process has ended.
    ///
    /// - Parameters:
    ///   - fileID: The file of the reported issue.
    ///   - filePath: The path of that file.
    ///   - line: The line of the reported issue.
    ///   - column: The column of the reported issue.
    ///   - check: Reads the result in the folder of the run. Each error that it throws is a violation.
    /// - Returns: The table of all runs.
    /// - Throws: ``CrashTestError`` with the code `programMissing`; `CancellationError`; an error of the operating system.
    @discardableResult
    public nonisolated(nonsending) func runKilling(
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        check: nonisolated(nonsending) (Run) async throws -> Void
    ) async throws -> Report {
        let report = try await report(SIGKILL, check)
        if let text = report.failure {
            reportIssue(text, fileID: fileID, filePath: filePath, line: line, column: column)
        }
        return report
    }

    /// Stops the program with SIGSTOP in each run, starts a second process that takes over, continues the first process when the
    /// second one has ended, and calls `check` when both have ended.
    ///
    /// The leases of the relay must be short, because the second process waits for their end. A process stops when its store has
    /// no open transaction, at the point or soon after it.
    ///
    /// - Parameters:
    ///   - fileID: The file of the reported issue.
    ///   - filePath: The path of that file.
    ///   - line: The line of the reported issue.
    ///   - column: The column of the reported issue.
    ///   - check: Reads the result in the folder of the run. Each error that it throws is a violation.
    /// - Returns: The table of all runs.
    /// - Throws: The same errors as ``runKilling(fileID:filePath:line:column:check:)``.
    @discardableResult
    public nonisolated(nonsending) func runStopping(
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        check: nonisolated(nonsending) (Run) async throws -> Void
    ) async throws -> Report {
        let report = try await report(SIGSTOP, check)
        if let text = report.failure {
            reportIssue(text, fileID: fileID, filePath: filePath, line: line, column: column)
        }
        return report
    }

    private nonisolated(nonsending) func report(
        _ signal: Int32,
        _ check: nonisolated(nonsending) (Run) async throws -> Void
    ) async throws -> Report {
        var report = Report(program: program, handlers: handlers)
        let ofHandlers = handlers.flatMap { handler in FaultPoint.ofHandlers.map { ($0, Optional(handler)) } }
        for (point, handler) in points.map({ ($0, nil) }) + ofHandlers {
            for pass in passes {
                let fault = CrashFault(point, pass: pass, handler: handler, signal: signal)
                report.rows.append(try await row(of: fault, check))
            }
        }
        return report
    }

    private nonisolated(nonsending) func row(
        of fault: CrashFault,
        _ check: nonisolated(nonsending) (Run) async throws -> Void
    ) async throws -> Report.Row {
        let name = "crash_" + UUID().uuidString.prefix(8).lowercased()
        let folder = FileManager.default.temporaryDirectory.appending(path: name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }

        var run = Run(point: fault.point, handler: fault.handler, pass: fault.pass, folder: folder)
        do {
            try await interrupt(&run, fault)
            try await check(run)
            return Report.Row(run: run, violation: nil)
        } catch let error as CrashTestError {
            throw error
        } catch let error as ChildProcess.Failure {
            throw error
        } catch {
            try Task.checkCancellation()
            return Report.Row(run: run, violation: "\(error)")
        }
    }

    /// Runs the processes of `run`.
    private nonisolated(nonsending) func interrupt(_ run: inout Run, _ fault: CrashFault) async throws {
        let first = try CrashProcess(program, arguments, fault: fault, folder: run.folder)
        if fault.signal == SIGSTOP {
            run.lines = try await first.linesToStop()
            run.isInterrupted = await first.hasStopped
            if run.isInterrupted { run.successorLines = try await linesOfSuccessor(in: run.folder) }
            await first.resume()
        }
        run.lines += try await first.linesToEnd()
        if await first.wasKilled {
            run.isInterrupted = true
            run.successorLines = try await linesOfSuccessor(in: run.folder)
        } else {
            try await first.requireSuccess(run.isInterrupted ? "The stopped process" : "The process")
        }
    }

    private nonisolated(nonsending) func linesOfSuccessor(in folder: URL) async throws -> [String] {
        let successor = try CrashProcess(program, arguments, folder: folder)
        let lines = try await successor.linesToEnd()
        try await successor.requireSuccess("The process after the interrupted one")
        return lines
    }
}

/// A result that the check of a crash test doesn't accept.
struct CrashViolation: Error, CustomStringConvertible {
    let description: String
}

extension CrashProcess {
    /// Throws ``CrashViolation`` unless the process has ended with the status 0.
    fileprivate func requireSuccess(_ subject: String) async throws {
        if end != .exit(status: 0) { throw CrashViolation(description: "\(subject) failed: \(await report())") }
    }
}
#endif
