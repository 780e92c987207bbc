// SPDX-License-Identifier: Apache-2.0

/// The changes of the flow since a revision.
struct FlowView: Encodable {
    /// Revision up to which the changes are complete.
    let revision: UInt64

    /// Number of the oldest entry in the buffer.
    let first: UInt64

    /// Approximate number of messages and stages that weren't recorded, because too many came while no page was open.
    let skipped: Int

    let entries: [FlowEntry]

    /// For each kind of hidden content in the entries, the reason and how to show it; `nil` if nothing is hidden.
    let hints: [String: String]?

    /// The history on the disk; `nil` if there is none.
    let history: HistoryView?
}

/// Throughput and latency of the last seconds.
struct RatesView: Encodable {
    let kinds = RateHistory.kinds
    let points: [RateHistory.Point]

    /// Approximate number of messages and stages that weren't counted, because too many came while no page was open.
    let skipped: Int
}

/// Entries of the flow that have changed.
struct FlowChanges {
    /// Revision up to which the changes are complete.
    let revision: UInt64

    /// Number of the newest entry.
    let last: UInt64

    let entries: [FlowEntry]
}
