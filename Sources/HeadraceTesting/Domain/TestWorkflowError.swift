// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
import HeadraceWorkflows

/// An error of a ``TestWorkflow``.
///
/// Branch on ``code``, log ``message``. Later releases may add codes.
public struct TestWorkflowError: CodedError {
    /// The kind of error, stable enough to branch on.
    public typealias Code = ErrorCode<TestWorkflowError>

    /// The kind of error.
    public let code: Code

    /// The error and how to fix it, in one sentence each.
    public let message: String

    static func blocked(_ instances: [WorkflowStatus]) -> TestWorkflowError {
        let reasons = instances.map { "'\($0.workflow)/\($0.id)': \($0.mistake ?? "It is blocked.")" }
        return TestWorkflowError(
            code: .blocked,
            message: """
                The code of a workflow doesn't ask for the same steps when it is repeated. To fix, let it depend only on its input, \
                the results of its steps, and 'now', 'uuid()', and 'random' of its context. \(reasons.joined(separator: " "))
                """
        )
    }

    static func differs(_ workflow: Any.Type, _ differences: [String]) -> TestWorkflowError {
        TestWorkflowError(
            code: .differs,
            message: """
                Crashes change what '\(String(naming: workflow))' does. To fix, let it depend only on its input, the results of its \
                steps, and 'now', 'uuid()', and 'random' of its context, and let doubles give the same answer each time.
                \(differences.map { "- \($0)" }.joined(separator: "\n"))
                """
        )
    }

    static func notEnded(_ status: WorkflowStatus) -> TestWorkflowError {
        TestWorkflowError(
            code: .notEnded,
            message: """
                The workflow '\(status.workflow)/\(status.id)' has no result yet: it is \
                at \(status.waits.joined(separator: ", ")). To fix, let the test bring about what it waits for.
                """
        )
    }

    static func removed(_ workflow: Any.Type) -> TestWorkflowError {
        TestWorkflowError(
            code: .removed,
            message: """
                The instance of '\(String(naming: workflow))' was removed from the store. To fix, ask for it before the test \
                removes it.
                """
        )
    }
}

extension ErrorCode<TestWorkflowError> {
    /// The code of an instance doesn't fit its journal.
    public static var blocked: Self { Self() }

    /// A run with crashes differs from a run without.
    public static var differs: Self { Self() }

    /// The instance waits.
    public static var notEnded: Self { Self() }

    /// The instance isn't in the store.
    public static var removed: Self { Self() }
}
