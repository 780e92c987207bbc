// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// The errors of several services that handled one action.
///
/// If only one service fails, the sender receives its error unchanged.
public struct ServiceFailures: CodedError {
    /// The errors, at least two, in the order of the services in the tree.
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
