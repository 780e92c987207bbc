//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// How certain it is, when a commit has returned, that its changes are still there after the power has failed.
///
/// Whatever is chosen, a commit is whole or not at all, and the end of the program, however sudden, takes nothing
/// back: the operating system has it.
public struct Durability: Hashable, Sendable, CustomStringConvertible {
    private enum Kind: String { case durable, relaxed }

    private let kind: Kind

    /// It is on the disk: the default.
    public static let durable = Durability(kind: .durable)

    /// It will be, at the latest with the next durable commit.
    ///
    /// Until then a power failure may take it back. For what can be had again: caches, progress, statistics.
    public static let relaxed = Durability(kind: .relaxed)

    /// The word for it: bounded, fit for a metric label.
    public var description: String { kind.rawValue }
}
