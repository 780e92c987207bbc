//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// Tells tasks apart, where a child that stands in for its suspended parent counts as that one.
///
/// Why `@unchecked Sendable` is right here: the reference to the task is only ever compared. It keeps the task from
/// being freed, so that no later task can be taken for it.
@safe
package struct TaskIdentity: Equatable, @unchecked Sendable {
    /// Set by a child task for itself; its own children inherit the value, and are not meant by it.
    @TaskLocal private static var standIn: StandIn?

    /// Whether a task has ever stood in for another.
    ///
    /// A task that does has set it itself, or was started by one that has.
    private static let hasStandIns = Atomic(false)

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
        guard hasStandIns.load(ordering: .relaxed), let standIn, standIn.child == own else { return own }
        return standIn.represented
    }

    /// Whether this is the identity of the task that asks; no different from a comparison with ``current``, but sooner
    /// known where it is.
    package var isCurrent: Bool {
        unsafe Self.address == Self.address(of: task) || TaskIdentity.current == self
    }

    /// Where this task is; zero where there is none.
    ///
    /// It tells tasks apart only as long as they run: the place of one that has ended may be that of a later one.
    package static var address: UInt {
        unsafe withUnsafeCurrentTask { unsafe address(of: $0) }
    }

    /// Where the task is for which this one stands in, or `own`, where this one is.
    package static func represented(by own: UInt) -> UInt {
        // To ask for a task-local value takes as long as an asynchronous call.
        guard hasStandIns.load(ordering: .relaxed), let standIn else { return own }
        return unsafe address(of: standIn.child.task) == own ? address(of: standIn.represented.task) : own
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
        hasStandIns.store(true, ordering: .relaxed)
        return try await $standIn.binding(StandIn(child: TaskIdentity(), represented: represented), operation)
    }
}
