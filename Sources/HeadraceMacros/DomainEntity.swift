//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Macros
import HeadraceDomain

/// Lets a class raise domain events, which the unit of work that touches it collects.
///
/// ```swift
/// @DomainEntity
/// final class Customer {
///     let id: CustomerID
///     private(set) var orders: [Order] = []
///
///     init(id: CustomerID) { self.id = id }
///
///     func place(_ order: Order) {
///         orders.append(order)
///         raiseEvent(OrderPlaced(customer: id, order: order.id))
///     }
/// }
/// ```
///
/// conforms to `HasDomainEvents` by
///
/// ```swift
/// var raisedEvents = HeadraceDomain.RaisedEvents()
/// ```
///
/// The property has the access level of the class. It is `@Transient` beside SwiftData's `@Model` and
/// `@ObservationIgnored` beside `@Observable`: raised events are no part of the entity's state.
/// Synthesised `Codable` code leaves them out, and no initializer changes. A class that declares
/// `raisedEvents` itself keeps it, and only the conformance is added.
///
/// Restrictions:
///
/// - The file imports `HeadraceDomain` as well, or `Headrace` instead of both. For a public class that
///   is a `public import` under `InternalImportsByDefault`.
/// - Only the topmost class of a hierarchy has it; the classes below inherit what it adds.
/// - The class cannot be `Sendable` unless a global actor isolates it; `@MainActor`, or any attribute
///   named `…Actor`, isolates the conformance too.
/// - A `private` class inside another type is written `fileprivate`, as the conformance is an extension.
/// - A class declared in a function cannot have it, as with every macro that adds a conformance.
@attached(member, names: named(raisedEvents))
@attached(extension, conformances: HasDomainEvents)
public macro DomainEntity() = #externalMacro(module: "HeadraceMacrosPlugin", type: "DomainEntityMacro")
#endif
