//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A store did otherwise than ``StoreContract`` claims.
public struct ContractViolation: Error, Sendable, CustomStringConvertible {
    /// What the store should have done.
    public let expectation: String

    /// What it did.
    public let observation: String

    /// The file of the check, as `#fileID` gives it.
    public let fileID: String

    /// The line of the check, counting from 1.
    public let line: Int

    /// The expectation, the observation and the place.
    public var description: String {
        "Expected that \(expectation); observed: \(observation) (\(fileID):\(line))"
    }
}
