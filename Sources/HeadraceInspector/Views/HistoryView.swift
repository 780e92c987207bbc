// SPDX-License-Identifier: Apache-2.0

/// The history on the disk, as the page shows it.
struct HistoryView: Sendable, Equatable, Encodable {
    /// Number of entries of earlier runs that were read.
    let earlier: Int

    /// Approximate number of entries of earlier runs that were left out.
    let leftOut: Int

    /// Number of lines of the files that couldn't be read.
    let unreadable: Int

    /// Number of entries of this run that the memory had dropped before they could be written.
    var dropped = 0

    /// The reason why the last entries couldn't be written; `nil` if they were written.
    var failure: String?
}
