//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An event that a unit of work has taken from the entity that raised it.
public struct CollectedEvent: Sendable {
    /// What happened.
    public let event: any DomainEvent

    /// The entity that raised it, or `nil` where that is not kept by a store.
    public let source: EntityReference?

    /// Creates the record of an event.
    public init(event: any DomainEvent, source: EntityReference?) {
        self.event = event
        self.source = source
    }
}
