// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The identities of threads.
package enum ThreadIdentity {
    /// The ID of the current thread, unique among running threads.
    package static var current: UInt {
        #if canImport(Darwin)
        unsafe UInt(bitPattern: pthread_self())
        #else
        UInt(pthread_self())
        #endif
    }
}

/// The identity of a task.
///
/// A child task can represent its suspended parent, and then has the parent's identity.
///
/// Proof for `@unchecked Sendable`: the reference to the task is only compared, never dereferenced. It keeps the task
/// allocated, so no later task can have the same address.
@safe
package struct TaskIdentity: Equatable, @unchecked Sendable {
    /// Set by a child task for itself.
    ///
    /// The children of the child task inherit the value, but it doesn't apply to them.
    @TaskLocal private static var representation: Representation?

    /// Whether a task has ever represented another task.
    ///
    /// A task that represents another task has set the value itself, or was started by a task that has.
    private static let hasRepresentations = Atomic(false)

    private struct Representation: Sendable {
        let child: TaskIdentity
        let represented: TaskIdentity
    }

    private let task: UnsafeCurrentTask?

    private init() {
        unsafe task = unsafe withUnsafeCurrentTask { unsafe $0 }
    }

    /// The identity of this task, or of the task that it represents.
    package static var current: TaskIdentity {
        let own = TaskIdentity()
        guard hasRepresentations.load(ordering: .relaxed), let representation, representation.child == own
        else { return own }
        return representation.represented
    }

    /// Whether this is the identity of the current task.
    ///
    /// Same as a comparison with ``current``, but faster if the task represents no other task.
    package var isCurrent: Bool {
        unsafe Self.address == Self.address(of: task) || TaskIdentity.current == self
    }

    /// Address of the current task; zero outside of tasks.
    ///
    /// An address identifies a task only while the task runs. A later task can have the same address.
    package static var address: UInt {
        unsafe withUnsafeCurrentTask { unsafe address(of: $0) }
    }

    /// Address of the task that the current task represents; `own`, the address of the current task, if it represents
    /// none.
    package static func represented(by own: UInt) -> UInt {
        // Reading a task-local value takes as long as an asynchronous call.
        guard hasRepresentations.load(ordering: .relaxed), let representation else { return own }
        return unsafe address(of: representation.child.task) == own
            ? address(of: representation.represented.task) : own
    }

    /// Whether both identities are of the same task.
    package static func == (left: TaskIdentity, right: TaskIdentity) -> Bool {
        unsafe address(of: left.task) == address(of: right.task)
    }

    /// Address of the task; zero if it is `nil`.
    ///
    /// The standard library compares tasks through value witnesses, which takes as long as an asynchronous call.
    private static func address(of task: UnsafeCurrentTask?) -> UInt {
        unsafe unsafeBitCast(task, to: UInt.self)
    }

    /// Runs `operation` in this task as a representation of the task with the identity `represented`.
    ///
    /// The represented task must be suspended, and wait for `operation`, until it has ended.
    nonisolated(nonsending) static func representing<Result>(
        _ represented: TaskIdentity,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        hasRepresentations.store(true, ordering: .relaxed)
        let representation = Representation(child: TaskIdentity(), represented: represented)
        return try await $representation.binding(representation, operation)
    }
}

/// A value that only one task can read, so that the value needn't be `Sendable`.
///
/// Proof for `@unchecked Sendable`: ``current`` returns the value only to the task that has made the box, or to the child task that
/// represents that task while it waits. One task does one thing after the other, on any actor, so there is no concurrent access. The
/// box neither reads nor changes the value otherwise; the last owner of the box releases it.
package struct TaskBound<Value>: @unchecked Sendable {
    /// The task that can read the value.
    package let task = TaskIdentity.current

    private let value: Value

    /// Binds `value` to the current task.
    package init(_ value: Value) {
        self.value = value
    }

    /// The value; `nil` in any other task.
    package var current: Value? { task.isCurrent ? value : nil }
}

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
