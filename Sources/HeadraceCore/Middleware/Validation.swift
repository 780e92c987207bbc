//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Everything that is wrong with a message, found while it validates itself.
public struct Validation: Sendable {
    /// One thing that is wrong.
    public struct Failure: Hashable, Sendable, CustomStringConvertible {
        /// The field, from the message on: `lines[2].quantity`; empty for the message itself.
        public let path: String

        /// What is wrong with it, for whoever filled it in.
        public let text: String

        /// The path and the text.
        public var description: String { path.isEmpty ? text : "\(path): \(text)" }

        /// Creates a failure.
        public init(path: String, text: String) {
            self.path = path
            self.text = text
        }
    }

    /// What is wrong, in the order found.
    public private(set) var failures: [Failure] = []

    /// The path of what is being validated.
    private var path = ""

    /// Creates a validation that has found nothing yet.
    public init() {}

    /// Adds a failure of `field` where `isFulfilled` is false.
    public mutating func require(_ isFulfilled: Bool, _ field: String, _ text: @autoclosure () -> String) {
        if !isFulfilled { fail(field, text()) }
    }

    /// Adds a failure of `field`; an empty name stands for what is being validated as a whole.
    public mutating func fail(_ field: String, _ text: String) {
        failures.append(Failure(path: joined(field), text: text))
    }

    /// Lets a part validate itself; the paths of its failures begin with `field`.
    public mutating func validate(_ part: some Validatable, at field: String) {
        let outer = path
        path = joined(field)
        part.validate(&self)
        path = outer
    }

    private func joined(_ field: String) -> String {
        if path.isEmpty || field.isEmpty { return path + field }
        return field.hasPrefix("[") ? path + field : "\(path).\(field)"
    }
}
