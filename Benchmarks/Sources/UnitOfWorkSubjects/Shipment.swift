// SPDX-License-Identifier: Apache-2.0

import Foundation
public import HeadraceDomain

/// Twenty properties of the usual types, as `@DocumentCodable` expands them.
public struct Parcel: DocumentCodable {
    var charge: Double = 12.5
    var city: String = "Zürich"
    var code: Int = 1
    var country: String = "Switzerland"
    var depth: Double = 0.25
    var express: Bool = true
    var height: Double = 0.5
    var note: String? = "At the back door"
    var number: Int = 4711
    var parts: Int? = 2
    var postcode: String = "8001"
    var receiver: String = "Ada Lovelace"
    var reference: UUID
    var sender: String = "Charles Babbage"
    var sent: Date = Date(timeIntervalSinceReferenceDate: 800_000_000.5)
    var street: String = "Bahnhofstrasse 1"
    var taken: Date = Date(timeIntervalSinceReferenceDate: 800_086_400)
    var tariff: Int? = nil
    var weight: Double = 1.75
    var width: String? = nil

    init(reference: UUID) {
        self.reference = reference
    }

    /// Writes the JSON.
    public func encode(to encoder: inout DocumentEncoder) throws {
        try encoder.beginObject()
        try encoder.encode(charge, forKey: "charge")
        try encoder.encode(city, forKey: "city")
        try encoder.encode(code, forKey: "code")
        try encoder.encode(country, forKey: "country")
        try encoder.encode(depth, forKey: "depth")
        try encoder.encode(express, forKey: "express")
        try encoder.encode(height, forKey: "height")
        try encoder.encode(note, forKey: "note")
        try encoder.encode(number, forKey: "number")
        try encoder.encode(parts, forKey: "parts")
        try encoder.encode(postcode, forKey: "postcode")
        try encoder.encode(receiver, forKey: "receiver")
        try encoder.encode(reference, forKey: "reference")
        try encoder.encode(sender, forKey: "sender")
        try encoder.encode(sent, forKey: "sent")
        try encoder.encode(street, forKey: "street")
        try encoder.encode(taken, forKey: "taken")
        try encoder.encode(tariff, forKey: "tariff")
        try encoder.encode(weight, forKey: "weight")
        try encoder.encode(width, forKey: "width")
        encoder.endObject()
    }

    /// Reads the JSON.
    public init(from decoder: inout DocumentDecoder) throws {
        try decoder.beginObject()
        charge = try decoder.decode(Double.self, forKey: "charge")
        city = try decoder.decode(String.self, forKey: "city")
        code = try decoder.decode(Int.self, forKey: "code")
        country = try decoder.decode(String.self, forKey: "country")
        depth = try decoder.decode(Double.self, forKey: "depth")
        express = try decoder.decode(Bool.self, forKey: "express")
        height = try decoder.decode(Double.self, forKey: "height")
        note = try decoder.decode(String?.self, forKey: "note")
        number = try decoder.decode(Int.self, forKey: "number")
        parts = try decoder.decode(Int?.self, forKey: "parts")
        postcode = try decoder.decode(String.self, forKey: "postcode")
        receiver = try decoder.decode(String.self, forKey: "receiver")
        reference = try decoder.decode(UUID.self, forKey: "reference")
        sender = try decoder.decode(String.self, forKey: "sender")
        sent = try decoder.decode(Date.self, forKey: "sent")
        street = try decoder.decode(String.self, forKey: "street")
        taken = try decoder.decode(Date.self, forKey: "taken")
        tariff = try decoder.decode(Int?.self, forKey: "tariff")
        weight = try decoder.decode(Double.self, forKey: "weight")
        width = try decoder.decode(String?.self, forKey: "width")
        try decoder.endObject()
    }
}

/// An entity with twenty properties, which is coded by `Codable`.
public final class CodableShipment: StoredEntity {
    /// The name of the entity type.
    public static let entityName = "shipment"

    /// The number of the shipment.
    public let id: Int
    private var parcel: Parcel
    /// The raised events.
    public var raisedEvents = RaisedEvents()

    /// Creates a shipment.
    public init(_ id: Int) {
        self.id = id
        parcel = Parcel(reference: UUID())
    }

    /// Changes one property.
    public func renumber() { parcel.number += 1 }
}

/// An entity with twenty properties, as `@DomainEntity` expands it.
public final class GeneratedShipment: StoredEntity {
    /// The name of the entity type.
    public static let entityName = "shipment"

    /// The number of the shipment.
    public let id: Int
    private var parcel: Parcel
    /// The raised events.
    public var raisedEvents = RaisedEvents()

    /// Creates a shipment.
    public init(_ id: Int) {
        self.id = id
        parcel = Parcel(reference: UUID())
    }

    /// Changes one property.
    public func renumber() { parcel.number += 1 }

    /// Writes the document.
    public func encode(to encoder: inout DocumentEncoder) throws {
        try encoder.beginObject()
        try encoder.encode(id, forKey: "id")
        try encoder.encode(parcel, forKey: "parcel")
        encoder.endObject()
    }

    /// Reads a document.
    public init(from decoder: inout DocumentDecoder) throws {
        try decoder.beginObject()
        id = try decoder.decode(Int.self, forKey: "id")
        parcel = try decoder.decode(Parcel.self, forKey: "parcel")
        try decoder.endObject()
    }
}
