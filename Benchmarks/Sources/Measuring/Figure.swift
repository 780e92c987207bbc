// SPDX-License-Identifier: Apache-2.0

/// A row of the table: a workload, and a floor that is measured in the same run for comparison.
public struct Figure: Sendable {
    /// The measured workload.
    public let subject: Workload

    /// The workload of a minimal hand-written program.
    public let floor: Workload

    /// Maximum ratio of the subject to the floor, or `nil` if the ratio is only reported.
    public let bound: Double?

    /// Creates a row.
    public init(_ subject: Workload, floor: Workload, atMost bound: Double? = nil) {
        self.subject = subject
        self.floor = floor
        self.bound = bound
    }
}
