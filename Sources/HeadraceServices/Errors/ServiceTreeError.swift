//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

/// Everything that is wrong with a tree of services.
public struct ServiceTreeError: Error, Sendable, CustomStringConvertible {
    /// The problems, never none, in the order in which they were met.
    public let problems: [ServiceTreeProblem]

    /// How many there are, and each on a line of its own.
    public var description: String {
        let count = problems.count == 1 ? "1 problem" : "\(problems.count) problems"
        return (["\(count) in the tree of services."] + problems.map { "- \($0)" }).joined(separator: "\n")
    }

    init(_ problems: [ServiceTreeProblem]) {
        self.problems = problems
    }
}

extension ServiceTreeError: CodedError {
    /// Always the same.
    public var codeName: String { "serviceTree" }
}
