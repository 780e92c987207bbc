//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Tells tasks apart, where a child that stands in for its suspended parent counts as that one.
///
/// Why `@unchecked Sendable` is right here: the reference to the task is only ever compared. It keeps the task from
/// being freed, so that no later task can be taken for it.
@safe
package struct TaskIdentity: Equatable, @unchecked Sendable {
    /// Set by a child task for itself; its own children inherit the value, and are not meant by it.
    @TaskLocal private static var standIn: StandIn?

    private struct StandIn: Sendable {
        let child: TaskIdentity
        let represented: TaskIdentity
    }

    private let task: UnsafeCurrentTask?

    private init() {
        unsafe task = unsafe withUnsafeCurrentTask { unsafe $0 }
    }

    /// The identity of this task, or of the one for which it stands in.
    package static var current: TaskIdentity {
        let own = TaskIdentity()
        guard let standIn, standIn.child == own else { return own }
        return standIn.represented
    }

    /// Whether this is the identity of the task that asks; no different from a comparison with ``current``, but sooner
    /// known where it is.
    package var isCurrent: Bool {
        let own = unsafe withUnsafeCurrentTask { unsafe Self.address(of: $0) }
        return unsafe own == Self.address(of: task) || TaskIdentity.current == self
    }

    /// Whether both are the same task.
    package static func == (left: TaskIdentity, right: TaskIdentity) -> Bool {
        unsafe address(of: left.task) == address(of: right.task)
    }

    /// Where the task is, or zero where there is none.
    ///
    /// The comparison of the standard library goes by value witnesses, which takes as long as an asynchronous call.
    private static func address(of task: UnsafeCurrentTask?) -> UInt {
        unsafe unsafeBitCast(task, to: UInt.self)
    }

    /// Runs `operation` in this task as if it ran in the one with the identity `represented`.
    ///
    /// That one must be suspended, and wait for `operation`, until it has ended.
    nonisolated(nonsending) static func representing<Result>(
        _ represented: TaskIdentity,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        try await $standIn.binding(StandIn(child: TaskIdentity(), represented: represented), operation)
    }
}
