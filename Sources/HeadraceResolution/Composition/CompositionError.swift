//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What `validate()` throws: everything that is wrong with what is registered.
public struct CompositionError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, stable enough to branch on.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String { case invalidRegistrations }

        private let kind: Kind

        /// Not everything that is registered can be made.
        public static let invalidRegistrations = Code(kind: .invalidRegistrations)

        /// The name of the code: bounded, fit for a metric label.
        public var description: String { kind.rawValue }
    }

    /// What went wrong.
    public let code: Code

    /// The problems, never none: missing, cyclic, duplicate, captive, then those that other modules look for.
    public let problems: [CompositionProblem]

    /// The types whose registrations take what they take by hand, and so were not looked into.
    public let opaque: [Any.Type]

    /// Every problem on a line of its own, and how many registrations are opaque.
    public let message: String

    /// The code and the message.
    public var description: String { "\(code): \(message)" }

    init(_ problems: [CompositionProblem], opaque: [Any.Type]) {
        code = .invalidRegistrations
        self.problems = problems
        self.opaque = opaque
        let count = problems.count == 1 ? "1 problem" : "\(problems.count) problems"
        var lines = ["\(count) in what is registered."]
        lines += problems.map { "- \($0)" }
        if !opaque.isEmpty {
            let names = opaque.map { TypeNames.full($0) }.joined(separator: ", ")
            lines.append("Opaque, and not looked into: \(names).")
        }
        message = lines.joined(separator: "\n")
    }
}
