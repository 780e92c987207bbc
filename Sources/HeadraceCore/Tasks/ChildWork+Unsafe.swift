// SPDX-License-Identifier: Apache-2.0

/// The operation of an interruptible child task, and its result.
///
/// Proof for `@unchecked Sendable`, although neither the operation nor the result is `Sendable`: both belong to the
/// parent task. The parent creates this object, starts one child task that performs the operation, and doesn't access
/// the object until the task group returns, which is after the child task has ended. So parent and child never access
/// it at the same time. Both run on the same actor, so the operation reaches the same isolated values as if the
/// parent ran it. The operation can't outlive the call of the parent, so it escapes only for the compiler.
final class ChildWork<Output>: @unchecked Sendable {
    private let operation: nonisolated(nonsending) () async throws -> Output
    private var outcome: Result<Output, any Error>?

    init(_ operation: nonisolated(nonsending) @escaping () async throws -> Output) {
        self.operation = operation
    }

    /// The result of the operation.
    ///
    /// - Precondition: ``perform(for:isolation:)`` must have returned.
    var result: Result<Output, any Error> {
        guard let outcome else { preconditionFailure("The operation hasn't run.") }
        return outcome
    }

    /// Performs the operation in the current task, which counts as the task with the identity `parent`.
    func perform(for parent: TaskIdentity, isolation: isolated (any Actor)?) async {
        do {
            outcome = .success(try await TaskIdentity.representing(parent, operation))
        } catch {
            outcome = .failure(error)
        }
    }
}
