// SPDX-License-Identifier: Apache-2.0

/// A point at which a crash test can end or stop the process.
///
/// A store calls the closure `faults` of its configuration at each of these points. `CrashFaults` of `HeadraceTesting` is such a
/// closure. A program can declare points in its own code, too:
///
/// ```swift
/// extension FaultPoint {
///     static let mailSent = FaultPoint(rawValue: "mail-sent")
/// }
/// ```
public struct FaultPoint: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// A commit waits for its transaction, or is about to be sent to the server.
    public static let commitQueued = FaultPoint(rawValue: "commit-queued")

    /// The transaction of queued commits is about to begin; no transaction of the store is open.
    public static let beforeTransaction = FaultPoint(rawValue: "before-transaction")

    /// The changes are written; their transaction is open (only in SQLite).
    public static let beforeCommit = FaultPoint(rawValue: "before-commit")

    /// In a transaction with several units of work, one is written and the next is not (only in SQLite).
    public static let insideGroupCommit = FaultPoint(rawValue: "inside-group-commit")

    /// The transaction is on disk, and its callers are not yet notified.
    public static let afterCommit = FaultPoint(rawValue: "after-commit")

    /// The leases of a relay are written and committed, and the relay is not yet notified.
    public static let afterLease = FaultPoint(rawValue: "after-lease")

    /// A relay is about to write its acknowledgements; no transaction is open.
    public static let beforeAcknowledge = FaultPoint(rawValue: "before-acknowledge")

    /// A part of a replay is committed, and the next part isn't.
    public static let afterReplayPart = FaultPoint(rawValue: "after-replay-part")

    /// A migration of the tables has begun and is not committed (only in SQLite).
    public static let inMigration = FaultPoint(rawValue: "in-migration")

    /// Opening has found that another program uses the store, and will look again; nothing has changed.
    public static let inUse = FaultPoint(rawValue: "in-use")

    /// Name of the point, which is unique in the program.
    public let rawValue: String

    /// The name.
    public var description: String { rawValue }

    /// Creates a point with a name that is unique in the program.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}
