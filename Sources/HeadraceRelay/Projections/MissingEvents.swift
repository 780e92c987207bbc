// SPDX-License-Identifier: Apache-2.0

/// Whether a projection stops if the log no longer has all events that its rows depend on.
public struct MissingEvents: Hashable, Sendable {
    private enum Kind { case refused, skipped }

    private let kind: Kind

    /// The projection stops with `ProjectionError.Code.eventsMissing`; the default.
    public static let refused = MissingEvents(kind: .refused)

    /// The projection is computed from the events that the log still has.
    ///
    /// Choose it if the rows describe recent events only. Choose it also if an earlier version of Headrace has written
    /// a PostgreSQL log, and a position there never had an event because a transaction was rolled back.
    public static let skipped = MissingEvents(kind: .skipped)
}
