//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

/// The errors of several services that have handled an action at the same time.
///
/// Where a single one fails, its error arrives as it is.
public struct ServiceFailures: CodedError {
    /// The errors, two at least, in the order in which the services stand in the tree.
    public let errors: [any Error]

    /// The only code: `serviceFailures`.
    public var code: String { "serviceFailures" }

    /// Number of errors, then each error on a separate line.
    public var message: String {
        (["\(errors.count) services failed."] + errors.map { "- \($0)" }).joined(separator: "\n")
    }

    init(_ errors: [any Error]) {
        self.errors = errors
    }
}
