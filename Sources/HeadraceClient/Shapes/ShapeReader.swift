// SPDX-License-Identifier: Apache-2.0

#if Client
import Foundation
import HeadraceCore
import HeadraceStorage

/// Reads the shapes of types: it lets them decode themselves from values that it makes up, and notes the names and types that
/// they ask for.
final class ShapeReader {
    /// The shapes of objects, by the names of their types.
    private(set) var components: [String: Shape] = [:]

    private var names: [ObjectIdentifier: String] = [:]

    /// The objects that are being read.
    private var open: Set<ObjectIdentifier> = []

    /// Returns the members of a message.
    ///
    /// - Throws: ``ShapeError`` if the type refuses the values of the reader.
    func members(of type: any Decodable.Type) throws -> [Shape.Member] {
        let decoder = ShapeDecoder(self)
        _ = try decode(type, by: decoder)
        guard case .object(let members) = decoder.shape else {
            throw ShapeError("'\(String(naming: type))' isn't encoded as an object.")
        }
        return members
    }

    /// Returns the shape of `type`; a type with members is a reference to a component.
    ///
    /// - Throws: ``ShapeError`` if the type refuses the values of the reader.
    func shape<Value: Decodable>(of type: Value.Type) throws -> Shape {
        if let name = names[ObjectIdentifier(type)] { return .reference(name) }
        return try read(type).shape
    }

    /// Returns the shape of `type`, and a value.
    func read<Value: Decodable>(_ type: Value.Type) throws -> (shape: Shape, value: Value) {
        if let leaf = Self.leaves[ObjectIdentifier(type)], let value = leaf.value as? Value {
            return (leaf.shape, value)
        }
        if let known = type as? any ShapedType.Type, let read = try read(known, as: type) { return read }
        if let cases = type as? any CaseIterable.Type, let choice = Self.choice(of: cases, as: type) { return choice }
        return try readObject(type)
    }

    private func read<Known: ShapedType, Value>(_ known: Known.Type, as type: Value.Type) throws -> (Shape, Value)? {
        let (shape, value) = try known.read(by: self)
        return (value as? Value).map { (shape, $0) }
    }

    private func readObject<Value: Decodable>(_ type: Value.Type) throws -> (shape: Shape, value: Value) {
        let id = ObjectIdentifier(type)
        guard open.insert(id).inserted else { throw ShapeError("'\(String(naming: type))' always contains itself.") }
        defer { open.remove(id) }
        let name = names[id] ?? freeName(for: type)
        names[id] = name
        let decoder = ShapeDecoder(self)
        let value = try decode(type, by: decoder)
        guard case .object = decoder.shape else {
            names[id] = nil
            return (decoder.shape, value)
        }
        components[name] = decoder.shape
        return (.reference(name), value)
    }

    private func decode<Value: Decodable>(_ type: Value.Type, by decoder: ShapeDecoder) throws -> Value {
        do {
            return try type.init(from: decoder)
        } catch let error as ShapeError {
            throw error
        } catch {
            let remedy =
                type is any RawRepresentable.Type
                ? "let it conform to 'CaseIterable'" : "let it decode the text 'text', the number 1, and empty lists"
            throw ShapeError(
                """
                The shape of '\(String(naming: type))' isn't known, because the type refuses the value of an example: \(error). To \
                describe it, \(remedy).
                """
            )
        }
    }

    /// The name of the type without its module, or with a number if another type has that name.
    private func freeName(for type: Any.Type) -> String {
        let name = "\(type)".map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
        let taken = Set(names.values)
        return taken.contains(name) ? (2...).lazy.map { "\(name)\($0)" }.first { !taken.contains($0) } ?? name : name
    }

    private static func choice<Cases: CaseIterable, Value>(of cases: Cases.Type, as type: Value.Type) -> (Shape, Value)?
    {
        let all = Array(cases.allCases)
        let values = all.compactMap { value(of: $0) }
        guard let first = all.first as? Value, values.count == all.count else { return nil }
        return (.choice(values), first)
    }

    /// The JSON of an enumeration with a text or a number; `nil` for another type.
    private static func value(of value: Any) -> JSONValue? {
        guard let raw = (value as? any RawRepresentable)?.anyRawValue else { return nil }
        if let text = raw as? String { return .string(text) }
        return (raw as? any BinaryInteger).map { .integer(Int64(clamping: $0)) }
    }

    /// The types that are one value of JSON, with values that all types should accept.
    private static let leaves: [ObjectIdentifier: (shape: Shape, value: any Sendable)] = {
        var leaves: [ObjectIdentifier: (shape: Shape, value: any Sendable)] = [
            ObjectIdentifier(String.self): (.text(format: nil), "text"),
            ObjectIdentifier(Bool.self): (.boolean, false),
            ObjectIdentifier(Double.self): (.number, 1.0),
            ObjectIdentifier(Float.self): (.number, Float(1)),
            ObjectIdentifier(Decimal.self): (.number, Decimal(1)),
            ObjectIdentifier(Date.self): (.text(format: "date-time"), Date(timeIntervalSince1970: 0)),
            ObjectIdentifier(UUID.self): (
                .text(format: "uuid"), UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
            ),
            ObjectIdentifier(Data.self): (.data, Data()),
            ObjectIdentifier(URL.self): (.text(format: "uri"), URL(filePath: "/")),
        ]
        func add<Integer: FixedWidthInteger & Sendable>(_ type: Integer.Type) {
            let format = "\(Integer.isSigned ? "int" : "uint")\(Integer.bitWidth)"
            leaves[ObjectIdentifier(type)] = (.integer(format: format), Integer(1))
        }
        add(Int.self)
        add(Int8.self)
        add(Int16.self)
        add(Int32.self)
        add(Int64.self)
        add(UInt.self)
        add(UInt8.self)
        add(UInt16.self)
        add(UInt32.self)
        add(UInt64.self)
        return leaves
    }()
}

/// The shape of a type isn't known.
struct ShapeError: Error {
    /// A sentence.
    let message: String

    init(_ message: String) {
        self.message = message
    }
}

extension RawRepresentable {
    fileprivate var anyRawValue: Any { rawValue }
}

/// A type of the standard library whose shape depends on another type.
private protocol ShapedType {
    static func read(by reader: ShapeReader) throws -> (Shape, Self)
}

extension Optional: ShapedType where Wrapped: Decodable {
    fileprivate static func read(by reader: ShapeReader) throws -> (Shape, Wrapped?) {
        (.nullable(try reader.shape(of: Wrapped.self)), nil)
    }
}

extension Array: ShapedType where Element: Decodable {
    fileprivate static func read(by reader: ShapeReader) throws -> (Shape, [Element]) {
        (.list(try reader.shape(of: Element.self)), [])
    }
}

extension Set: ShapedType where Element: Decodable {
    fileprivate static func read(by reader: ShapeReader) throws -> (Shape, Set<Element>) {
        (.list(try reader.shape(of: Element.self)), [])
    }
}

extension Dictionary: ShapedType where Key: Decodable, Value: Decodable {
    fileprivate static func read(by reader: ShapeReader) throws -> (Shape, [Key: Value]) {
        let value = try reader.shape(of: Value.self)
        // Foundation encodes other keys and their values as a list.
        return (Key.self == String.self || Key.self == Int.self ? .dictionary(value) : .list(.any), [:])
    }
}
#endif
