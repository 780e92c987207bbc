// SPDX-License-Identifier: Apache-2.0

/// Collects the failures of a message that validates itself.
public struct Validation: Sendable {
    /// A failed check.
    public struct Failure: Hashable, Sendable, CustomStringConvertible {
        /// Path of the field, for example `lines[2].quantity`; empty for the message itself.
        public let path: String

        /// The reason, for the user who filled in the field.
        public let text: String

        /// The path and the text.
        public var description: String { path.isEmpty ? text : "\(path): \(text)" }

        /// Creates a failure.
        public init(path: String, text: String) {
            self.path = path
            self.text = text
        }
    }

    /// The failures in the order of the checks.
    public private(set) var failures: [Failure] = []

    /// Path of the part that is being validated.
    private var path = ""

    /// Creates a validation without failures.
    public init() {}

    /// Adds a failure of `field` if `isFulfilled` is false.
    public mutating func require(_ isFulfilled: Bool, _ field: String, _ text: @autoclosure () -> String) {
        if !isFulfilled { fail(field, text()) }
    }

    /// Adds a failure of `field`; an empty name stands for the whole message or part.
    public mutating func fail(_ field: String, _ text: String) {
        failures.append(Failure(path: joined(field), text: text))
    }

    /// Validates a part; the paths of its failures start with `field`.
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
