// SPDX-License-Identifier: Apache-2.0

/// A repeatable operation: the subject of a figure, or its floor.
public struct Workload: Sendable {
    /// Name of the workload on the command line.
    public let name: String

    /// Whether several threads run the workload, so that the processor time of all threads counts.
    let isConcurrent: Bool

    /// Prepares the workload, and returns a loop that runs it `iterations` times.
    private let prepare: @Sendable () -> @Sendable (_ iterations: Int) async throws -> Void

    /// Creates a workload with a preparation that is not measured.
    ///
    /// Set `concurrent` if the loop suspends: then the processor time of the whole process is measured.
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
