// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// All problems of a tree of services.
public struct ServiceTreeError: CodedError {
    /// The problems, at least one, in the order in which they were found.
    public let problems: [ServiceTreeProblem]

    /// The only code: `serviceTree`.
    public var code: String { "serviceTree" }

    /// Number of problems, then each problem on a separate line.
    public var message: String {
        let count = problems.count == 1 ? "1 problem" : "\(problems.count) problems"
        return (["\(count) in the tree of services."] + problems.map { "- \($0)" }).joined(separator: "\n")
    }

    init(_ problems: [ServiceTreeProblem]) {
        self.problems = problems
    }
}
