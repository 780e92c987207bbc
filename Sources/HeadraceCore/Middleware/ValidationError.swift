//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A message was refused because it does not make sense, with everything that is wrong with it.
public struct ValidationError: Error, Sendable, CustomStringConvertible {
    /// The name of the message's type, with its module.
    public let messageType: String

    /// What is wrong, in the order found; never empty.
    public let failures: [Validation.Failure]

    /// The message's type and all failures.
    public var description: String {
        """
        '\(messageType)' is not valid and was not handled: \
        \(failures.map(\.description).joined(separator: "; ")). To fix, correct what is named and send it again.
        """
    }
}

extension ValidationError: CodedError {
    /// The one code there is: `invalid`.
    public var codeName: String { "invalid" }
}
