//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Something that happened in the domain, told in the past tense: `OrderPlaced`, not `PlaceOrder`.
///
/// An entity raises it (``HasDomainEvents/raiseEvent(_:)``); a ``UnitOfWork`` collects it and hands it
/// to the handlers of its type. It is kept in memory only: conform to ``DurableDomainEvent`` to have it
/// stored with the changes that it tells of.
public protocol DomainEvent: Sendable {}
