//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A message was refused because it does not make sense, with everything that is wrong with it.
public struct ValidationError: CodedError {
    /// The name of the message's type, with its module.
    public let messageType: String

    /// What is wrong, in the order found; never empty.
    public let failures: [Validation.Failure]

    /// The only code: `invalid`.
    public var code: String { "invalid" }

    /// The type of the message, and all failures.
    public var message: String {
        """
        '\(messageType)' is not valid and was not handled: \
        \(failures.map(\.description).joined(separator: "; ")). To fix, correct what is named and send it again.
        """
    }
}
