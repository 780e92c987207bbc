//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A child task that works for its parent, so that the work can be cancelled and the parent cannot.
package enum StandIn {
    /// How the work of a stand-in has ended.
    package enum Outcome<Output> {
        /// It ended before the alarm.
        case ended(Result<Output, any Error>)

        /// The alarm came first; then it was cancelled, and ended so.
        case interrupted(Result<Output, any Error>)
    }

    /// Runs `operation` in a child task, on the actor of the caller, and cancels it when `alarm` has returned.
    ///
    /// Returns when both have ended. The child counts as the task of the caller (``TaskIdentity``), and is cancelled
    /// with it. Which of the two came first is decided once. An alarm that throws is none.
    package static nonisolated(nonsending) func run<Output>(
        _ operation: nonisolated(nonsending) () async throws -> Output,
        until alarm: @escaping @Sendable () async throws -> Void
    ) async -> Outcome<Output> {
        await run(operation, until: alarm, isolation: #isolation)
    }

    private enum Signal: Sendable { case operationEnded, alarmReturned, alarmFailed }

    private static func run<Output>(
        _ operation: nonisolated(nonsending) () async throws -> Output,
        until alarm: @escaping @Sendable () async throws -> Void,
        isolation: isolated (any Actor)?
    ) async -> Outcome<Output> {
        await withoutActuallyEscaping(operation) { operation in
            let work = Work(operation)
            let parent = TaskIdentity.current
            let isInterrupted = await withTaskGroup(of: Signal.self) { group in
                _ = isolation
                group.addTask {
                    await work.perform(for: parent, isolation: isolation)
                    return .operationEnded
                }
                group.addTask {
                    do {
                        try await alarm()
                        return .alarmReturned
                    } catch {
                        return .alarmFailed
                    }
                }
                var first = await group.next()
                if first == .alarmFailed { first = await group.next() }
                group.cancelAll()
                await group.waitForAll()
                return first == .alarmReturned
            }
            let result = work.result
            return isInterrupted ? .interrupted(result) : .ended(result)
        }
    }
}

/// The operation of a stand-in and what came of it.
///
/// Why `@unchecked Sendable` is right here, though neither is `Sendable`: both belong to the parent, which makes this,
/// starts one child that performs it, and touches neither until that child has ended; a task group does not return
/// before. What parent and child do they so do one after the other, and on the same actor. What is not `Sendable`
/// and was reached by the operation is thus reached by one task at a time, as if the parent had run it itself; nor
/// can the operation outlive the parent's wait, so that it escapes only for the compiler.
private final class Work<Output>: @unchecked Sendable {
    private let operation: nonisolated(nonsending) () async throws -> Output
    private var outcome: Result<Output, any Error>?

    init(_ operation: nonisolated(nonsending) @escaping () async throws -> Output) {
        self.operation = operation
    }

    /// What the operation has ended with; to be asked for after ``perform(for:isolation:)``.
    var result: Result<Output, any Error> {
        guard let outcome else { preconditionFailure("The work was not performed.") }
        return outcome
    }

    func perform(for parent: TaskIdentity, isolation: isolated (any Actor)?) async {
        do {
            outcome = .success(try await TaskIdentity.representing(parent, operation))
        } catch {
            outcome = .failure(error)
        }
    }
}
