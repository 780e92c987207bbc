//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What sort of message it is, and so which face of Headrace handles it.
public struct MessageKind: Hashable, Sendable, CustomStringConvertible {
    private enum Kind: String { case command, query, action, effect, event, request }

    private let kind: Kind

    /// An instruction that one handler carries out.
    public static let command = MessageKind(kind: .command)

    /// A question that one handler answers.
    public static let query = MessageKind(kind: .query)

    /// Something that a dispatcher, a service or a station reacts to.
    public static let action = MessageKind(kind: .action)

    /// Work that an action has started.
    public static let effect = MessageKind(kind: .effect)

    /// Something that has happened in the domain.
    public static let event = MessageKind(kind: .event)

    /// Something that came in from outside, and is the first of its chain.
    public static let request = MessageKind(kind: .request)

    /// The word for the kind: bounded, fit for a metric label.
    public var description: String { kind.rawValue }
}
