// SPDX-License-Identifier: Apache-2.0

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
/// Synthesized `Codable` code ignores them, and the initializers stay as they are. A class that declares
/// `raisedEvents` keeps its declaration, and only the conformance is added.
///
/// A final class that declares `StoredEntity` also gets the methods of `DocumentCodable`, with which its documents are written
/// and read many times faster than with `Codable`:
///
/// ```swift
/// func encode(to encoder: inout HeadraceDomain.DocumentEncoder) throws {
///     try encoder.beginObject()
///     try encoder.encode(self.id, forKey: "id")
///     try encoder.encode(self.orders, forKey: "orders")
///     encoder.endObject()
/// }
///
/// init(from decoder: inout HeadraceDomain.DocumentDecoder) throws {
///     try decoder.beginObject()
///     self.id = try decoder.decode(CustomerID.self, forKey: "id")
///     self.orders = try decoder.decode([Order].self, forKey: "orders")
///     try decoder.endObject()
/// }
/// ```
///
/// The documents are the same, and `Codable` still reads and writes everything that these methods don't: a property whose
/// type isn't `DocumentCodable`, and a document in another form. For a struct or an enumeration in the entity, use
/// ``DocumentCodable()``.
///
/// The class keeps `Codable` alone
///
/// - if it declares `CodingKeys`, `init(from:)`, or `encode(to:)`,
/// - if it is generic, has another attribute, or has no designated initializer,
/// - if its first inherited type may be a superclass (write `StoredEntity` first), or
/// - if a property is lazy, weak, has an attribute, is a constant with a value, or stands inside `#if`.
///
/// Restrictions:
///
/// - `CodingKeys`, `init(from:)`, and `encode(to:)` stand in the class itself, because the macro doesn't see extensions. In
///   a debug build, documents that differ from the documents of `Codable` are reported as errors.
///
/// - The file imports `HeadraceDomain` as well, or `Headrace` instead of both. For a public class that
///   is a `public import` under `InternalImportsByDefault`.
/// - Only the base class of a hierarchy has the macro; its subclasses inherit the property.
/// - The class can't be `Sendable` unless a global actor isolates it. `@MainActor`, or any attribute with the suffix `Actor`,
///   isolates the conformance too.
/// - A `private` class inside another type is written `fileprivate`, because the conformance is an extension.
/// - A class declared in a function can't have the macro, as with every macro that adds a conformance.
@attached(member, names: named(raisedEvents), named(encode(to:)), named(init(from:)))
@attached(extension, conformances: HasDomainEvents)
public macro DomainEntity() = #externalMacro(module: "HeadraceMacrosPlugin", type: "DomainEntityMacro")

/// Lets a struct or an enumeration write and read its part of a document many times faster than with `Codable`.
///
/// ```swift
/// @DocumentCodable
/// struct Posting: Codable {
///     let account: String
///     let amount: Int
/// }
/// ```
///
/// conforms to `DocumentCodable` by
///
/// ```swift
/// func encode(to encoder: inout HeadraceDomain.DocumentEncoder) throws {
///     try encoder.beginObject()
///     try encoder.encode(self.account, forKey: "account")
///     try encoder.encode(self.amount, forKey: "amount")
///     encoder.endObject()
/// }
///
/// init(from decoder: inout HeadraceDomain.DocumentDecoder) throws {
///     try decoder.beginObject()
///     self.account = try decoder.decode(String.self, forKey: "account")
///     self.amount = try decoder.decode(Int.self, forKey: "amount")
///     try decoder.endObject()
/// }
/// ```
///
/// An enumeration with raw values, and a struct that declares `RawRepresentable` or `OptionSet`, write their raw value. The JSON
/// is the same as that of `Codable`. The macro matters only for values inside an entity with ``DomainEntity()``.
///
/// Restrictions:
///
/// - The type is `Codable` by synthesized code: it declares no `CodingKeys`, `init(from:)`, or `encode(to:)`, neither in itself
///   nor in an extension, and it doesn't get `RawRepresentable` from another protocol. In a debug build, JSON that differs from
///   that of `Codable` is reported as an error.
/// - The type isn't generic, and raw values have the type `String`, `Int`, `Int32`, or `Int64`, written out.
/// - No property is lazy, weak, has an attribute, is a constant with a value, or stands inside `#if`.
/// - The file imports `HeadraceDomain` as well, or `Headrace` instead of both. For a public type that is a `public import`
///   under `InternalImportsByDefault`.
/// - A `private` type inside another type is written `fileprivate`, because the conformance is an extension.
@attached(extension, conformances: DocumentCodable, names: named(encode(to:)), named(init(from:)))
public macro DocumentCodable() = #externalMacro(module: "HeadraceMacrosPlugin", type: "DocumentCodableMacro")
#endif
