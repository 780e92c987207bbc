// SPDX-License-Identifier: Apache-2.0

import Foundation

extension EncodingState {
    /// Encodes the value of a document.
    func encodeDocument<Value: Encodable>(_ value: Value) throws {
        try encode(value)
        if buffer.count == 0 {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: [],
                    debugDescription: "Top-level \(Value.self) did not encode any values."
                )
            )
        }
    }

    // MARK: Values

    /// Appends `value`.
    func encode<Value: Encodable>(_ value: Value) throws {
        let slot = types.slot(for: Value.self) { Value.self as? any EncodableCollection.Type }
        switch slot.kind {
        case .string: buffer.append(quoted: identityCast(value, to: String.self))
        case .bool: encode(identityCast(value, to: Bool.self))
        case .int: buffer.append(Int64(identityCast(value, to: Int.self)))
        case .int32: buffer.append(Int64(identityCast(value, to: Int32.self)))
        case .int64: buffer.append(identityCast(value, to: Int64.self))
        case .uint8: buffer.append(UInt64(identityCast(value, to: UInt8.self)))
        case .uint64: buffer.append(identityCast(value, to: UInt64.self))
        case .double: try encode(identityCast(value, to: Double.self))
        case .float: try encode(identityCast(value, to: Float.self))
        case .date: try encode(identityCast(value, to: Date.self).timeIntervalSinceReferenceDate)
        case .uuid: buffer.append(identityCast(value, to: UUID.self))
        case .data: buffer.append(quoted: identityCast(value, to: Data.self).base64EncodedString())
        case .url: buffer.append(quoted: identityCast(value, to: URL.self).absoluteString)
        case .decimal: try encode(identityCast(value, to: Decimal.self))
        case .collection:
            guard let collection = slot.collection else { break }
            try inFrame { try encode(value, as: collection) }
        case .other:
            try inFrame { try value.encode(to: JSONValueEncoder(state: self, serial: frame.serial)) }
        }
    }

    @inline(__always)
    private func encode<Collection: EncodableCollection>(_ value: some Any, as type: Collection.Type) throws {
        try identityCast(value, to: type).encode(to: self)
    }

    func encode(_ value: Bool) {
        if value { buffer.append("true") } else { buffer.append("false") }
    }

    @inline(__always)
    func encode(_ value: Double) throws {
        if !value.isFinite { throw notFinite(value) }
        buffer.append(value)
    }

    @inline(__always)
    func encode(_ value: Float) throws {
        if !value.isFinite { throw notFinite(value) }
        buffer.append(value)
    }

    private func encode(_ value: Decimal) throws {
        if value.isNaN { throw notFinite(value) }
        buffer.append(unescaped: value.description)
    }

    @inline(never)
    private func notFinite<Value>(_ value: Value) -> EncodingError {
        .invalidValue(
            value,
            EncodingError.Context(
                codingPath: innermostPath,
                debugDescription: "Unable to encode \(Value.self).\(value) directly in JSON."
            )
        )
    }

    // MARK: Frames

    /// Performs `body`, which encodes one value, with a frame for the value.
    ///
    /// If `body` fails, nothing of the value remains.
    @inline(__always)
    private func inFrame(_ body: () throws -> Void) throws {
        frames.append(frame)
        serial &+= 1
        frame = Frame(serial: serial, start: buffer.count, firstMember: members.count, firstChild: children.count)
        let depth = depth
        do {
            try body()
            try finish()
        } catch {
            self.depth = depth
            discard(from: frame.start, firstMember: frame.firstMember)
            frame = frames.removeLast()
            throw error
        }
        frame = frames.removeLast()
    }

    /// Removes all bytes from `start` on, with the members and children that belong to them.
    func discard(from start: Int, firstMember: Int) {
        buffer.truncate(to: start)
        members.removeLast(members.count - firstMember)
        while let child = children.last, child.offset > start { children.removeLast() }
    }

    /// Ends the value of the frame.
    func finish() throws {
        if frame.isTooDeep { throw tooDeep() }
        switch frame.form {
        case .nothing:
            // As in 'JSONEncoder', only a whole document must have a value.
            if frames.count != 1 || !path.isEmpty { buffer.append("{}") }
        case .single: break
        case .object:
            if !frame.isSorted || children.count > frame.firstChild
                || (frame.traits.contains(.nonASCII) && !frame.hasUniqueKeys && frame.count > 1)
            {
                try arrangeMembers()
            }
            members.removeLast(members.count - frame.firstMember)
            buffer.append(UInt8(ascii: "}"))
            depth &-= 1
        case .array:
            if children.count > frame.firstChild { try insertChildren() }
            buffer.append(UInt8(ascii: "]"))
            depth &-= 1
        }
    }

    /// Begins an array or an object for the value of the frame.
    func open(_ form: Form) throws {
        if depth == Self.depthLimit {
            frame.isTooDeep = true
            throw tooDeep()
        }
        depth &+= 1
        frame.form = form
        buffer.append(form == .object ? UInt8(ascii: "{") : UInt8(ascii: "["))
    }

    func tooDeep() -> EncodingError {
        .invalidValue(
            "",
            EncodingError.Context(
                codingPath: innermostPath,
                debugDescription: "Arrays and objects are nested more than \(Self.depthLimit) levels deep.",
                underlyingError: JSONSyntaxError(.tooDeep(limit: Self.depthLimit), at: buffer.count)
            )
        )
    }

    // MARK: Members and elements

    /// Begins a member of the object of the frame.
    @inline(__always)
    func beginMember(_ key: String) {
        if frame.count > 0 { buffer.append(UInt8(ascii: ",")) }
        let start = buffer.count
        let traits = buffer.append(quoted: key)
        let member = Member(start: start, keyEnd: buffer.count)
        buffer.append(UInt8(ascii: ":"))
        if !traits.isEmpty { frame.traits.formUnion(traits) }
        if frame.isSorted, frame.count > 0 {
            frame.isSorted = buffer.compare(members[members.count &- 1].key, member.key) < 0
        }
        // The order of escape sequences is another one than the order of what they stand for.
        if traits.contains(.escaped) { frame.isSorted = false }
        members.append(member)
        frame.count &+= 1
    }

    /// Removes the last member after its value has failed.
    func cancelMember() {
        let member = members[members.count - 1]
        frame.count -= 1
        discard(from: frame.count > 0 ? member.start - 1 : member.start, firstMember: members.count - 1)
    }

    /// Begins an element of the array of the frame.
    @inline(__always)
    func beginElement() {
        if frame.count > 0 { buffer.append(UInt8(ascii: ",")) }
        frame.count &+= 1
    }

    /// Removes the last element, which began after `start` bytes, after it has failed.
    func cancelElement(from start: Int) {
        frame.count -= 1
        discard(from: start, firstMember: members.count)
    }

    // MARK: Coding paths

    /// The coding path of the value of the frame `serial`.
    func codingPath(of serial: Int) -> [any CodingKey] {
        let all = frames + [frame]
        let index = all.firstIndex { $0.serial == serial } ?? all.count - 1
        return path + all.indices.prefix(index).compactMap { key(of: all[$0], before: all[$0 + 1].firstMember) }
    }

    /// The coding path of the member or the element that is being written.
    var innermostPath: [any CodingKey] {
        codingPath(of: frame.serial) + (key(of: frame, before: members.count).map { [$0] } ?? [])
    }

    private func key(of frame: Frame, before member: Int) -> (any CodingKey)? {
        switch frame.form {
        case .nothing, .single: nil
        case .array: JSONKey(index: frame.count - 1)
        case .object: member > frame.firstMember ? JSONKey(stringValue: text(of: members[member - 1])) : nil
        }
    }

    /// The text of the key of `member`.
    func text(of member: Member) -> String {
        let tape = JSONTape()
        try? tape.load(buffer.bytes(in: member.start..<member.keyEnd))
        return (try? JSONScanner.scan(tape)).map { tape.text(at: 0) } ?? ""
    }
}
