// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A collection of the standard library that is decoded without a container.
protocol DecodableCollection {
    /// Decodes a collection from the value at `index`.
    static func decode(from tape: JSONTape, at index: Int) throws -> Self
}

extension Array: DecodableCollection where Element: Decodable {
    static func decode(from tape: JSONTape, at index: Int) throws -> [Element] {
        guard tape[index].kind == .array else { throw tape.mismatch([Any].self, at: index) }
        tape.markAsRead(index)
        var elements: [Element] = []
        elements.reserveCapacity(Int(tape[index].count))
        let end = Int(tape[index].next)
        var element = index + 1
        while element < end {
            elements.append(try tape.decode(Element.self, at: element))
            element = Int(tape[element].next)
        }
        return elements
    }
}

extension Dictionary: DecodableCollection where Key: Decodable, Value: Decodable {
    static func decode(from tape: JSONTape, at index: Int) throws -> [Key: Value] {
        guard Key.self == String.self else {
            let value = try Self(from: JSONValueDecoder(tape: tape, index: index))
            if tape[index].kind == .array { tape.checkOrder(of: index, elementSize: 2) { $0.precedes($1, in: tape) } }
            return value
        }
        guard tape[index].kind == .object else { throw tape.mismatch([String: Any].self, at: index) }
        tape.markAsRead(index)
        var members: [Key: Value] = [:]
        let count = Int(tape[index].count)
        if count > 1 { members.reserveCapacity(count) }
        var key = index + 1
        while key < Int(tape[index].next) {
            defer { key = Int(tape[key + 1].next) }
            guard tape[key].kind == .key else { continue }
            let text = identityCast(tape.text(at: key), to: Key.self)
            let value = try tape.decode(Value.self, at: key + 1)
            // Of two keys that are equal in other bytes, the first one counts.
            if let first = members.updateValue(value, forKey: text) {
                members[text] = first
                tape.isCanonical = false
            }
        }
        return members
    }
}

extension Set: DecodableCollection where Element: Decodable {
    static func decode(from tape: JSONTape, at index: Int) throws -> Set<Element> {
        guard tape[index].kind == .array else { throw tape.mismatch([Any].self, at: index) }
        let elements = Set(try [Element].decode(from: tape, at: index))
        tape.checkOrder(of: index, elementSize: 1) { first, second in
            switch Element.self {
            case is String.Type:
                tape.text(at: first.index).utf8.lexicographicallyPrecedes(tape.text(at: second.index).utf8)
            case is Int.Type:
                (try? tape.integer(Int.self, at: first.index) < tape.integer(Int.self, at: second.index)) ?? false
            default: first.precedes(second, in: tape)
            }
        }
        return elements
    }
}

/// One element of an unordered collection: a value, or a key and its value.
struct UnorderedElement {
    /// Index of the first token.
    let index: Int

    /// Index of the token of the last value.
    let last: Int

    /// Whether the bytes of this element are less than the bytes of `other`.
    func precedes(_ other: UnorderedElement, in tape: JSONTape) -> Bool {
        tape.compare(range(in: tape), other.range(in: tape)) < 0
    }

    private func range(in tape: JSONTape) -> Range<Int> {
        tape.rangeWithQuotes(at: index).lowerBound..<tape.rangeWithQuotes(at: last).upperBound
    }
}

extension JSONTape {
    /// Offsets of all bytes of the value at `index`.
    fileprivate func rangeWithQuotes(at index: Int) -> Range<Int> {
        let range = self[index].range
        return self[index].kind == .string ? range.lowerBound - 1..<range.upperBound + 1 : range
    }

    /// Notes that the document isn't canonical unless each element of the array at `index` precedes the next one.
    fileprivate func checkOrder(
        of array: Int,
        elementSize: Int,
        by precedes: (UnorderedElement, UnorderedElement) -> Bool
    ) {
        guard checksForm, isCanonical else { return }
        var previous: UnorderedElement?
        var index = array + 1
        while index < Int(self[array].next) {
            let last = elementSize == 1 ? index : Int(self[index].next)
            if last >= Int(self[array].next) { return }
            let element = UnorderedElement(index: index, last: last)
            if let previous, !precedes(previous, element) { return isCanonical = false }
            previous = element
            index = Int(self[last].next)
        }
    }
}
