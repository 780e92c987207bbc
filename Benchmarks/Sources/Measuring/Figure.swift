//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A row of the table: a workload, and the floor that it is compared with in the same run.
public struct Figure: Sendable {
    /// What is measured.
    public let subject: Workload

    /// The least that a hand-written program would do.
    public let floor: Workload

    /// How many times the floor the subject may take, or `nil` where that is only reported.
    public let bound: Double?

    /// Creates a row.
    public init(_ subject: Workload, floor: Workload, atMost bound: Double? = nil) {
        self.subject = subject
        self.floor = floor
        self.bound = bound
    }
}
