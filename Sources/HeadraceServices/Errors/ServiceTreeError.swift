//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

/// All problems of a tree of services.
public struct ServiceTreeError: Error, Sendable, CustomStringConvertible {
    /// The problems, at least one, in the order in which they were found.
    public let problems: [ServiceTreeProblem]

    /// The number of problems, then one line for each problem.
    public var description: String {
        let count = problems.count == 1 ? "1 problem" : "\(problems.count) problems"
        return (["\(count) in the tree of services."] + problems.map { "- \($0)" }).joined(separator: "\n")
    }

    init(_ problems: [ServiceTreeProblem]) {
        self.problems = problems
    }
}

extension ServiceTreeError: CodedError {
    /// The constant `serviceTree`.
    public var codeName: String { "serviceTree" }
}
