//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The changes of the flow since a revision.
struct FlowView: Encodable {
    /// Revision up to which the changes are complete.
    let revision: UInt64

    /// Number of the oldest entry in the buffer.
    let first: UInt64

    let entries: [FlowEntry]
}

/// Throughput and latency of the last seconds.
struct RatesView: Encodable {
    let kinds = RateHistory.kinds
    let points: [RateHistory.Point]
}
