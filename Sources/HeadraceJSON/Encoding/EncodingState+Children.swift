// SPDX-License-Identifier: Apache-2.0

extension EncodingState {
    /// Makes sure that the value of the frame is an object or an array, as `form` says.
    ///
    /// - Returns: Whether it is one. It can't be if it was encoded in another form before.
    func begin(_ form: Form) -> Bool {
        if frame.form == form { return true }
        switch frame.form {
        case .nothing: return (try? open(form)) != nil
        case .single:
            let first = buffer.count > frame.start ? buffer[frame.start] : 0
            guard first == (form == .object ? UInt8(ascii: "{") : UInt8(ascii: "[")) else { return false }
            return reopen()
        case .object, .array: return false
        }
    }

    /// Continues the object or the array that the value of the frame was encoded as.
    private func reopen() -> Bool {
        let tape = JSONTape()
        let start = frame.start
        guard (try? tape.load(buffer.bytes(in: start..<buffer.count))) != nil, (try? JSONScanner.scan(tape)) != nil
        else { return false }
        frame.count = Int(tape[0].count)
        frame.traits = tape[0].traits
        frame.form = tape[0].kind == .object ? .object : .array
        frame.isSorted = !frame.traits.contains(.escaped)
        if frame.form == .object {
            for key in tape.members(of: 0) {
                let range = tape[key].range
                members.append(Member(start: start + range.lowerBound - 1, keyEnd: start + range.upperBound + 1))
            }
        }
        depth += 1
        frame.isTooDeep = depth > Self.depthLimit
        buffer.truncate(to: buffer.count - 1)
        return true
    }

    /// Returns a state for a container within the last member or element, which has no value yet.
    ///
    /// - Returns: The state, and the serial number by which its encoder is recognized.
    func appendChild(_ key: any CodingKey, form: Form) -> JSONValueEncoder {
        let path = codingPath(of: frame.serial) + [key]
        if form != .nothing && depth >= Self.depthLimit {
            frame.isTooDeep = true
            return JSONValueEncoder(state: self, serial: 0)
        }
        let child = EncodingPool.take()
        child.path = path
        child.depth = depth
        child.serial += 1
        child.frame = Frame(serial: child.serial)
        children.append(Child(offset: buffer.count, state: child))
        if form != .nothing { _ = child.begin(form) }
        return JSONValueEncoder(state: child, serial: child.serial)
    }

    /// Returns a state for a container within the member `key`, which continues what was encoded for the key before.
    func child(of key: some CodingKey, form: Form) -> JSONValueEncoder {
        beginMember(key.stringValue)
        guard let member = members.last, let earlier = earlierMember(with: member.key) else {
            return appendChild(JSONKey(stringValue: key.stringValue), form: form)
        }
        let end = earlier + 1 < members.count ? members[earlier + 1].start - 1 : buffer.count
        let value = members[earlier].keyEnd + 1..<end
        if let child = children[frame.firstChild...].last(where: { $0.offset == value.lowerBound })?.state {
            cancelMember()
            return JSONValueEncoder(state: child, serial: child.begin(form) ? child.frame.serial : 0)
        }
        let encoder = appendChild(JSONKey(stringValue: key.stringValue), form: .nothing)
        encoder.state.buffer.append(buffer, in: value)
        encoder.state.frame.form = .single
        return encoder.state.begin(form) ? encoder : JSONValueEncoder(state: encoder.state, serial: 0)
    }

    /// The index of the last member with `key` before the last member of the frame's object.
    private func earlierMember(with key: Range<Int>) -> Int? {
        if frame.isSorted { return nil }
        return members.indices.dropLast().last { index in
            index >= frame.firstMember && buffer.compare(members[index].key, key) == 0
        }
    }

    /// Returns the error for an encoder or a container that can't be used.
    @inline(never)
    func misuse(_ value: Any, path: [any CodingKey]) -> EncodingError {
        if frame.isTooDeep { return tooDeep() }
        return .invalidValue(
            value,
            EncodingError.Context(
                codingPath: path,
                debugDescription: """
                    The value can't be encoded here. Either another value was encoded in the same place, or the container \
                    was used after the encoding of its value had ended. To fix, use one kind of container for each value, \
                    and don't keep it.
                    """
            )
        )
    }
}
