// SPDX-License-Identifier: Apache-2.0

/// A kind of message that a relay can handle.
public struct KnownMessage: Sendable {
    /// The stored name; see ``Settlement/End/unknown(name:version:since:until:now:)``.
    public let name: String

    /// The versions that the relay can read.
    public let versions: ClosedRange<Int>

    /// Creates a description.
    public init(name: String, versions: ClosedRange<Int>) {
        self.name = name
        self.versions = versions
    }
}
