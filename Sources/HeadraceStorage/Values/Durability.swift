// SPDX-License-Identifier: Apache-2.0

/// Whether a commit that has returned survives a power failure.
///
/// At each level, a commit is atomic and survives the sudden end of the process, because the operating system holds the
/// data.
public struct Durability: Hashable, Sendable, CustomStringConvertible {
    private enum Kind: String { case durable, relaxed }

    private let kind: Kind

    /// The changes are on the disk when the commit returns; the default.
    public static let durable = Durability(kind: .durable)

    /// The changes reach the disk with the next durable commit at the latest.
    ///
    /// Until then, a power failure may lose them. Use this for data that can be computed or fetched again: caches,
    /// progress, statistics.
    public static let relaxed = Durability(kind: .relaxed)

    /// The name of the level: bounded, fit for a metric label.
    public var description: String { kind.rawValue }
}
