// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HeadraceJSON

extension Bool: DocumentCodable {
    /// Writes `true` or `false`.
    public func encode(to encoder: inout DocumentEncoder) throws { encoder.writer.write(self) }

    /// Reads `true` or `false`.
    public init(from decoder: inout DocumentDecoder) throws { self = try decoder.reader.readBool() }
}

extension Int: DocumentCodable {
    /// Writes a number.
    public func encode(to encoder: inout DocumentEncoder) throws { encoder.writer.write(Int64(self)) }

    /// Reads a number of up to 18 digits.
    public init(from decoder: inout DocumentDecoder) throws { self = Int(try decoder.reader.readInteger()) }
}

extension Int32: DocumentCodable {
    /// Writes a number.
    public func encode(to encoder: inout DocumentEncoder) throws { encoder.writer.write(Int64(self)) }

    /// Reads a number.
    public init(from decoder: inout DocumentDecoder) throws {
        guard let value = Int32(exactly: try decoder.reader.readInteger()) else { throw JSONReader.OtherForm() }
        self = value
    }
}

extension Int64: DocumentCodable {
    /// Writes a number.
    public func encode(to encoder: inout DocumentEncoder) throws { encoder.writer.write(self) }

    /// Reads a number of up to 18 digits.
    public init(from decoder: inout DocumentDecoder) throws { self = try decoder.reader.readInteger() }
}

extension Double: DocumentCodable {
    /// Writes the shortest number that reads as this value.
    ///
    /// - Throws: `EncodingError` if the number is infinite or NaN.
    public func encode(to encoder: inout DocumentEncoder) throws { try encoder.writer.write(self) }

    /// Reads a number.
    public init(from decoder: inout DocumentDecoder) throws { self = try decoder.reader.readDouble() }
}

extension String: DocumentCodable {
    /// Writes a text.
    public func encode(to encoder: inout DocumentEncoder) throws { encoder.writer.write(self) }

    /// Reads a text.
    public init(from decoder: inout DocumentDecoder) throws { self = try decoder.reader.readString() }
}

extension Date: DocumentCodable {
    /// Writes the seconds since the reference date, as `Codable` does.
    ///
    /// - Throws: `EncodingError` if the number is infinite or NaN.
    public func encode(to encoder: inout DocumentEncoder) throws {
        try encoder.writer.write(timeIntervalSinceReferenceDate)
    }

    /// Reads the seconds since the reference date.
    public init(from decoder: inout DocumentDecoder) throws {
        self.init(timeIntervalSinceReferenceDate: try decoder.reader.readDouble())
    }
}

extension UUID: DocumentCodable {
    /// Writes the UUID in upper case, as `Codable` does.
    public func encode(to encoder: inout DocumentEncoder) throws { encoder.writer.write(self) }

    /// Reads a UUID in upper case.
    public init(from decoder: inout DocumentDecoder) throws { self = try decoder.reader.readUUID() }
}

extension Array: DocumentCodable where Element: DocumentCodable {
    /// Writes the elements.
    ///
    /// - Throws: The errors of the elements.
    public func encode(to encoder: inout DocumentEncoder) throws {
        try encoder.writer.beginArray()
        for element in self {
            encoder.writer.beginElement()
            try element.encode(to: &encoder)
        }
        encoder.writer.endArray()
    }

    /// Reads the elements.
    ///
    /// - Throws: The errors of the elements.
    public init(from decoder: inout DocumentDecoder) throws {
        self = []
        try decoder.reader.beginArray()
        while try decoder.reader.beginElement() { append(try Element(from: &decoder)) }
    }
}
