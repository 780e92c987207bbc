// SPDX-License-Identifier: Apache-2.0

/// Receives the progress of an import.
public protocol ImportProgress: Sendable {
    /// Reports that `done` of `total` transactions of `journal` are processed.
    func advance(of journal: String, done: Int, total: Int)
}

/// Ignores the progress.
public struct NoOpImportProgress: ImportProgress {
    /// Creates an instance.
    public init() {}

    /// Does nothing.
    public func advance(of journal: String, done: Int, total: Int) {}
}
