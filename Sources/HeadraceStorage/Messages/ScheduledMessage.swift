//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation

/// A command or an event that is to take effect at a later time.
public struct ScheduledMessage: Hashable, Sendable {
    /// What becomes of the message when its time has come.
    public enum Kind: String, Hashable, Sendable {
        /// A command: the relay gives it to whoever carries it out.
        case command

        /// An event: it is raised then, and handled like any other.
        case event
    }

    /// Tells the message from all others, also to cancel it; a UUID of version 7.
    public let id: UUID

    /// What becomes of it.
    public let kind: Kind

    /// The stored name of its type.
    public let name: String

    /// The version of its shape, counting from 1.
    public let version: Int

    /// The entity that an event is raised for, if one is.
    public let stream: EntityReference?

    /// When it is to take effect, to the millisecond.
    public let dueAt: Date

    /// The message as JSON, in UTF-8.
    public let json: Data

    /// Where it came from.
    public let origin: MessageOrigin

    /// Creates a message; `dueAt` is rounded to the millisecond.
    public init(
        id: UUID,
        kind: Kind,
        name: String,
        version: Int,
        stream: EntityReference? = nil,
        dueAt: Date,
        json: Data,
        origin: MessageOrigin = .unknown
    ) {
        self.id = id
        self.kind = kind
        self.name = name
        self.version = version
        self.stream = stream
        self.dueAt = Date(milliseconds: dueAt.milliseconds)
        self.json = json
        self.origin = origin
    }

    /// The name of the subscription to which a relay delivers what was scheduled; no handler may state it.
    public static let subscription = "headrace.scheduled"
}

extension Date {
    /// Milliseconds since 1970, rounded; the ends of the range where it is beyond, and 0 if it is not a number.
    package var milliseconds: Int64 {
        let milliseconds = (timeIntervalSince1970 * 1000).rounded()
        if milliseconds.isNaN { return 0 }
        if milliseconds >= 0x1p62 { return 1 << 62 }
        if milliseconds <= -0x1p62 { return -1 << 62 }
        return Int64(milliseconds)
    }

    package init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    package func advanced(by duration: Duration) -> Date {
        addingTimeInterval(duration / .seconds(1))
    }
}
