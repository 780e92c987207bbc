//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An error with a code that is one of few, so that it can be counted.
///
/// Metrics and logs show the code beside the type of the error. The errors of Headrace conform; conform your own
/// where their type alone says too little.
public protocol CodedError: Error {
    /// The name of the code: bounded, so without identifiers, amounts or texts of users.
    var codeName: String { get }
}

extension MessageError: CodedError {
    /// The name of ``code-swift.property``.
    public var codeName: String { code.description }
}
