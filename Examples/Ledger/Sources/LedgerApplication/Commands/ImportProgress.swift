//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Is told how far an import has come.
public protocol ImportProgress: Sendable {
    /// `done` of `total` transactions of `journal` were looked at.
    func advance(of journal: String, done: Int, total: Int)
}

/// Keeps quiet.
public struct NoOpImportProgress: ImportProgress {
    /// Creates it.
    public init() {}

    /// Does nothing.
    public func advance(of journal: String, done: Int, total: Int) {}
}
