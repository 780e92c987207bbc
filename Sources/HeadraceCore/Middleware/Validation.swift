// SPDX-License-Identifier: Apache-2.0

/// A message, or a part of one, that validates itself.
///
/// ```swift
/// struct PlaceOrder: Validatable {
///     var customer: String
///     var lines: [Line]
///
///     func validate(_ validation: inout Validation) {
///         validation.require(!customer.isEmpty, "customer", "must not be empty")
///         for (index, line) in lines.enumerated() {
///             validation.validate(line, at: "lines[\(index)]")
///         }
///     }
/// }
/// ```
///
/// ``ValidationMiddleware`` refuses invalid messages. Checks that need the store or the principal belong in the
/// handler.
public protocol Validatable {
    /// Adds all failures to `validation`.
    func validate(_ validation: inout Validation)
}

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

/// An error for an invalid message, with all failures.
public struct MessageValidationError: CodedError {
    /// Name of the message's type, with its module.
    public let messageType: String

    /// The failures in the order of the checks, at least one.
    public let failures: [Validation.Failure]

    /// The only code: `invalid`.
    public var code: String { "invalid" }

    /// The type of the message, and all failures.
    public var message: String {
        """
        '\(messageType)' is invalid, so it wasn't handled: \
        \(failures.map(\.description).joined(separator: "; ")). To fix, correct these fields and send it again.
        """
    }
}

/// Refuses invalid messages.
///
/// Messages that aren't ``Validatable`` pass through.
public struct ValidationMiddleware: Middleware {
    /// Creates middleware that validates messages.
    public init() {}

    /// Handles `message` if it is valid.
    ///
    /// - Throws: ``MessageValidationError`` with all failures; the errors of `next`.
    public nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        if let validatable = message as? any Validatable {
            var validation = Validation()
            validatable.validate(&validation)
            if !validation.failures.isEmpty {
                throw MessageValidationError(messageType: context.typeName, failures: validation.failures)
            }
        }
        return try await next(message)
    }
}
