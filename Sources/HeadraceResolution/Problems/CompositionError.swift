// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// The registrations have mistakes, so not every registered type can be created.
public struct CompositionError: CodedError {
    /// A reason, stable enough to branch on.
    public typealias Code = ErrorCode<CompositionError>

    /// The reason.
    public let code: Code

    /// The problems, at least one: missing, cyclic, duplicate, captive, then the problems that other modules found.
    public let problems: [CompositionProblem]

    /// The types whose registrations resolve types by hand, and so were not checked.
    public let opaque: [Any.Type]

    /// Every problem on a separate line, then the opaque types.
    public let message: String

    init(_ problems: [CompositionProblem], opaque: [Any.Type]) {
        code = .invalidRegistrations
        self.problems = problems
        self.opaque = opaque
        let count = problems.count == 1 ? "1 problem" : "\(problems.count) problems"
        var lines = ["The registrations have \(count)."]
        lines += problems.map { "- \($0)" }
        if !opaque.isEmpty {
            let names = opaque.map { TypeSpelling.full($0) }.joined(separator: ", ")
            lines.append("Opaque, and not checked: \(names).")
        }
        message = lines.joined(separator: "\n")
    }
}

extension ErrorCode<CompositionError> {
    /// Some registered types can't be created.
    public static var invalidRegistrations: Self { Self() }
}
