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
