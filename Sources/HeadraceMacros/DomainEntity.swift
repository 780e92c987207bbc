//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Macros
import HeadraceDomain

/// Lets a class raise domain events, which its unit of work collects.
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
/// `@ObservationIgnored` beside `@Observable`, because raised events aren't part of the entity's state.
/// Synthesized `Codable` code ignores them, and no initializer changes. A class that declares
/// `raisedEvents` keeps its declaration, and only the conformance is added.
///
/// Restrictions:
///
/// - The file imports `HeadraceDomain` as well, or `Headrace` instead of both. For a public class that
///   is a `public import` under `InternalImportsByDefault`.
/// - Only the base class of a hierarchy has the macro; its subclasses inherit the property.
/// - The class can't be `Sendable` unless a global actor isolates it. `@MainActor`, or any attribute with the suffix `Actor`,
///   isolates the conformance too.
/// - A `private` class inside another type is written `fileprivate`, because the conformance is an extension.
/// - A class declared in a function can't have the macro, as with every macro that adds a conformance.
@attached(member, names: named(raisedEvents))
@attached(extension, conformances: HasDomainEvents)
public macro DomainEntity() = #externalMacro(module: "HeadraceMacrosPlugin", type: "DomainEntityMacro")
#endif
