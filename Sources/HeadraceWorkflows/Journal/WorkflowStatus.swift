// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HeadraceCore
import HeadraceStorage

/// The state of an instance of a ``DurableWorkflow``.
public struct WorkflowStatus: Hashable, Sendable {
    /// The name of the workflow.
    public let workflow: String

    /// The stored text of the identifier.
    public let id: String

    /// The state.
    public let state: WorkflowState

    /// The input as JSON.
    public let input: String

    /// The time at which the instance was started.
    public let startedAt: Date

    /// The time at which the instance has ended; `nil` while it is open.
    public let endedAt: Date?

    /// Number of steps that were done in the current round.
    public let stepCount: Int

    /// The waits of the instance, each in a few words, such as "the wait for 'packed'".
    public let waits: [String]

    /// The error that has ended the instance, or the last error of a step that is repeated; `nil` if there is none.
    public let failure: WorkflowStepError?

    /// Why the instance is blocked; `nil` if it isn't.
    public let mistake: String?

    package let output: String?

    init(_ stored: StoredWorkflow) {
        workflow = stored.workflow
        id = stored.key
        state = stored.state
        input = stored.input
        startedAt = stored.startedAt
        endedAt = stored.endedAt
        stepCount = stored.recordCount
        waits =
            stored.state == .queued
            ? ["a place of the concurrency key '\(stored.concurrency?.key ?? "")'"] : stored.waits.map(\.title)
        failure = stored.failure ?? stored.waits.lazy.compactMap(\.failure).first
        mistake = stored.mistake
        output = stored.output
    }
}

/// An error of ``Workflows``.
///
/// Branch on ``code``, log ``message``. Later releases may add codes.
public struct WorkflowError: CodedError {
    /// The kind of error, stable enough to branch on.
    public typealias Code = ErrorCode<WorkflowError>

    /// The kind of error.
    public let code: Code

    /// The error and how to fix it, in one sentence each.
    public let message: String

    /// The error that has ended the instance; `nil` if none has.
    public let cause: WorkflowStepError?

    package static func unknown(_ id: String) -> WorkflowError {
        WorkflowError(
            code: .unknownInstance,
            message: """
                The store has no workflow '\(id)'. To fix, start it first, and pass the identifier that it was started with.
                """,
            cause: nil
        )
    }

    package static func ended(_ status: WorkflowStatus) -> WorkflowError {
        ended(workflow: status.workflow, id: status.id, status.state, failure: status.failure)
    }

    static func ended(
        workflow: String,
        id: String,
        _ state: WorkflowState,
        failure: WorkflowStepError? = nil
    ) -> WorkflowError {
        let name = "'\(workflow)/\(id)'"
        switch state {
        case .failed:
            let reason = failure.map { ": \($0)" } ?? "."
            return WorkflowError(
                code: .failed,
                message: "The workflow \(name) has failed\(reason) To fix, correct the cause, and call 'retry'.",
                cause: failure
            )
        case .cancelled:
            return WorkflowError(
                code: .cancelled,
                message: "The workflow \(name) was cancelled. To do its task, start another instance.",
                cause: failure
            )
        case .terminated:
            return WorkflowError(
                code: .terminated,
                message: "An operator has ended the workflow \(name). To do its task, start another instance.",
                cause: nil
            )
        case .queued, .running, .blocked, .completed:
            return WorkflowError(
                code: .ended,
                message:
                    "The workflow \(name) is \(state.rawValue). To do its task again, start another instance.",
                cause: nil
            )
        }
    }

    static func blocked(_ problems: [String]) -> WorkflowError {
        let instances = problems.count == 1 ? "1 workflow" : "\(problems.count) workflows"
        let shown = problems.prefix(20).map { "- \($0)" } + (problems.count > 20 ? ["- …"] : [])
        return WorkflowError(
            code: .blocked,
            message: """
                The code doesn't fit the journals of \(instances) in the store. To fix, let 'flow.changed(…)' select the old code \
                for them, or keep the earlier version of the program running until they have ended.
                \(shown.joined(separator: "\n"))
                """,
            cause: nil
        )
    }

    static func notObservable(_ store: any DeliveryStore) -> WorkflowError {
        WorkflowError(
            code: .notObservable,
            message: """
                '\(type(of: store))' can't be observed, so nothing can wait for a result. To fix, use a store that conforms to \
                'ObservableStore', or ask for the 'status'.
                """,
            cause: nil
        )
    }
}

extension ErrorCode<WorkflowError> {
    /// The store has no such instance.
    public static var unknownInstance: Self { Self() }

    /// The instance has failed.
    public static var failed: Self { Self() }

    /// The instance was cancelled.
    public static var cancelled: Self { Self() }

    /// An operator has ended the instance.
    public static var terminated: Self { Self() }

    /// The instance has completed.
    public static var ended: Self { Self() }

    /// The code of the program doesn't fit the journals of open instances.
    public static var blocked: Self { Self() }

    /// The store can't be observed.
    public static var notObservable: Self { Self() }
}
