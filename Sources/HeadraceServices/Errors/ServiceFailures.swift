//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

/// The errors of several services that have handled an action at the same time.
///
/// Where a single one fails, its error arrives as it is.
public struct ServiceFailures: Error, Sendable, CustomStringConvertible {
    /// The errors, two at least, in the order in which the services stand in the tree.
    public let errors: [any Error]

    /// How many there are, and each on a line of its own.
    public var description: String {
        (["\(errors.count) services failed."] + errors.map { "- \($0)" }).joined(separator: "\n")
    }

    init(_ errors: [any Error]) {
        self.errors = errors
    }
}

extension ServiceFailures: CodedError {
    /// Always the same.
    public var codeName: String { "serviceFailures" }
}
