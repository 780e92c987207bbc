//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

/// The errors of several services that handled one action.
///
/// If only one service fails, the sender receives its error unchanged.
public struct ServiceFailures: Error, Sendable, CustomStringConvertible {
    /// The errors, at least two, in the order of the services in the tree.
    public let errors: [any Error]

    /// The number of errors, then one line for each error.
    public var description: String {
        (["\(errors.count) services failed."] + errors.map { "- \($0)" }).joined(separator: "\n")
    }

    init(_ errors: [any Error]) {
        self.errors = errors
    }
}

extension ServiceFailures: CodedError {
    /// The constant `serviceFailures`.
    public var codeName: String { "serviceFailures" }
}
