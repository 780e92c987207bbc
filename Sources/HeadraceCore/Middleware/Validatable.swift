//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Something that can tell by itself, and without asking anyone, whether it makes sense.
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
/// ``ValidationMiddleware`` refuses messages that do not. What needs the store or the user is not for here.
public protocol Validatable {
    /// Adds everything that is wrong to `validation`.
    func validate(_ validation: inout Validation)
}
