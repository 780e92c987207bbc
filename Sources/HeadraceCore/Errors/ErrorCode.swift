// SPDX-License-Identifier: Apache-2.0

/// The kind of an error, stable enough to branch on.
///
/// Each error of Headrace has codes of its own: `error.code == .versionConflict` compiles for a `StoreError` only.
/// Later releases may add codes.
public struct ErrorCode<Owner>: Hashable, Sendable, CustomStringConvertible {
    /// The name of the code: one of a few, fit for a metric label.
    public let description: String

    /// Creates the code that is named like the property that returns it.
    package init(_ name: String = #function) {
        description = name
    }
}
