//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Something that can be done many times over: a figure of the table, or its floor.
public struct Workload: Sendable {
    /// What the command line calls it.
    public let name: String

    /// Prepares, and gives the loop that does it as often as it is told.
    private let prepare: @Sendable () -> @Sendable (_ iterations: Int) async throws -> Void

    /// Creates a workload whose preparation is not measured.
    public init(
        _ name: String,
        prepare: @escaping @Sendable () -> @Sendable (_ iterations: Int) async throws -> Void
    ) {
        self.name = name
        self.prepare = prepare
    }

    /// Prepares the loop.
    func makeLoop() -> @Sendable (_ iterations: Int) async throws -> Void {
        prepare()
    }
}
