//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Something that can be done many times over: a figure of the table, or its floor.
public struct Workload: Sendable {
    /// What the command line calls it.
    public let name: String

    /// Whether it is done by several threads, so that the time of all of them counts.
    let isConcurrent: Bool

    /// Prepares, and gives the loop that does it as often as it is told.
    private let prepare: @Sendable () -> @Sendable (_ iterations: Int) async throws -> Void

    /// Creates a workload whose preparation is not measured.
    ///
    /// Say so where a loop suspends: what is `concurrent` is measured by the time of the process.
    public init(
        _ name: String,
        concurrent isConcurrent: Bool = false,
        prepare: @escaping @Sendable () -> @Sendable (_ iterations: Int) async throws -> Void
    ) {
        self.name = name
        self.isConcurrent = isConcurrent
        self.prepare = prepare
    }

    /// Prepares the loop.
    func makeLoop() -> @Sendable (_ iterations: Int) async throws -> Void {
        prepare()
    }
}
