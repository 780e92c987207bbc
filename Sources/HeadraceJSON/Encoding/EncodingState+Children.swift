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

extension EncodingState {
    /// Sorts the pieces of the frame's object, and fills in the children.
    func arrangeMembers() throws {
        pieces.removeAll(keepingCapacity: true)
        var end = buffer.count
        for index in stride(from: members.count - 1, through: frame.firstMember, by: -1) {
            let member = members[index]
            pieces.append(
                Piece(range: member.start..<end, key: member.key, prefix: buffer.prefix(of: member.key))
            )
            end = member.start - 1
        }
        pieces.reverse()
        if frame.traits.contains(.escaped) {
            sortByText()
        } else if !frame.isSorted {
            sortPieces()
        }
        if frame.traits.contains(.nonASCII) && !frame.hasUniqueKeys { mergeEquivalentKeys() }
        try rewrite(from: frame.start + 1)
    }

    /// Sorts elements that begin at `starts`, the first one after the opening bracket of the frame's array, by their bytes.
    func sortElements(at starts: [Int]) throws {
        pieces.removeAll(keepingCapacity: true)
        for (index, start) in starts.enumerated() {
            let range = start..<(index + 1 < starts.count ? starts[index + 1] - 1 : buffer.count)
            pieces.append(Piece(range: range, key: range, prefix: buffer.prefix(of: range)))
        }
        sortPieces(keepingDuplicates: true)
        try rewrite(from: frame.start + 1)
    }

    @inline(__always)
    private func compare(_ first: Piece, _ second: Piece) -> Int {
        if first.prefix != second.prefix { return first.prefix < second.prefix ? -1 : 1 }
        let order = buffer.compare(first.key, second.key)
        return order == 0 ? first.range.lowerBound - second.range.lowerBound : order
    }

    /// Sorts the pieces, and keeps the last piece of several with the same key.
    private func sortPieces(keepingDuplicates: Bool = false) {
        if pieces.count > 24 {
            var sorted = pieces
            sorted.sort { compare($0, $1) < 0 }
            pieces = sorted
        } else {
            for index in 1..<max(pieces.count, 1) {
                let piece = pieces[index]
                var place = index
                while place > 0 && compare(piece, pieces[place - 1]) < 0 {
                    pieces[place] = pieces[place - 1]
                    place -= 1
                }
                if place != index { pieces[place] = piece }
            }
        }
        if keepingDuplicates { return }
        var index = 1
        while index < pieces.count {
            if pieces[index - 1].prefix == pieces[index].prefix,
                buffer.compare(pieces[index - 1].key, pieces[index].key) == 0
            {
                pieces.remove(at: index - 1)
            } else {
                index += 1
            }
        }
    }

    /// Sorts the pieces by the texts that the escape sequences of their keys stand for.
    private func sortByText() {
        let texts = pieces.map { text(of: $0) }
        var last: [[UInt8]: Int] = [:]
        for (index, text) in texts.enumerated() { last[Array(text.utf8)] = index }
        let order = last.values.sorted { texts[$0].utf8.lexicographicallyPrecedes(texts[$1].utf8) }
        pieces = order.map { pieces[$0] }
    }

    /// Keeps one of several pieces whose keys are the same text in other bytes: the last value, with the first key.
    ///
    /// `JSONEncoder` collects members in a dictionary, for which such keys are equal.
    private func mergeEquivalentKeys() {
        let texts = pieces.map { text(of: $0) }
        if Set(texts).count == texts.count { return }
        let groups = Dictionary(grouping: pieces.indices) { texts[$0] }.values
        let kept = groups.map { group in
            let order = group.sorted { pieces[$0].range.lowerBound < pieces[$1].range.lowerBound }
            let (first, last) = (pieces[order[0]], pieces[order[order.count - 1]])
            return Piece(
                range: last.key.upperBound + 2..<last.range.upperBound,
                key: first.key,
                prefix: first.prefix
            )
        }
        let sorted = kept.sorted { compare($0, $1) < 0 }
        // The key and the value come from two members, so the piece is written behind the buffer first.
        let scratch = JSONBuffer()
        pieces = []
        let end = buffer.count
        for piece in sorted {
            scratch.truncate(to: 0)
            scratch.append(buffer, in: piece.key.lowerBound - 1..<piece.key.upperBound + 1)
            scratch.append(UInt8(ascii: ":"))
            scratch.append(buffer, in: piece.range)
            let start = buffer.count
            buffer.append(scratch, in: 0..<scratch.count)
            let child = children[frame.firstChild...].firstIndex { $0.offset == piece.range.upperBound }
            if let child { children.append(Child(offset: buffer.count, state: children[child].state)) }
            pieces.append(Piece(range: start..<buffer.count, key: piece.key, prefix: piece.prefix))
        }
        precondition(end <= buffer.count)
    }

    private func text(of piece: Piece) -> String {
        text(of: Member(start: piece.key.lowerBound - 1, keyEnd: piece.key.upperBound + 1))
    }

    /// Replaces all bytes from `start` on by the pieces in their order, with the bytes of the children.
    private func rewrite(from start: Int) throws {
        scratch.truncate(to: 0)
        var offsets: [Int: Int] = [:]
        for index in frame.firstChild..<children.count { offsets[children[index].offset] = index }
        for (index, piece) in pieces.enumerated() {
            if index > 0 { scratch.append(UInt8(ascii: ",")) }
            scratch.append(buffer, in: piece.range)
            if let child = offsets.isEmpty ? nil : offsets[piece.range.upperBound] {
                try appendChild(child, to: scratch)
            }
        }
        endChildren()
        buffer.truncate(to: start)
        buffer.append(scratch, in: 0..<scratch.count)
    }

    /// Inserts the bytes of the children into the frame's array.
    func insertChildren() throws {
        scratch.truncate(to: 0)
        var start = frame.start + 1
        for index in frame.firstChild..<children.count {
            scratch.append(buffer, in: start..<children[index].offset)
            start = children[index].offset
            try appendChild(index, to: scratch)
        }
        scratch.append(buffer, in: start..<buffer.count)
        endChildren()
        buffer.truncate(to: frame.start + 1)
        buffer.append(scratch, in: 0..<scratch.count)
    }

    private func appendChild(_ index: Int, to scratch: JSONBuffer) throws {
        let child = children[index].state
        try child.finish()
        // From now on no encoder and no container of the child is recognized.
        child.frame.serial = 0
        scratch.append(child.buffer, in: 0..<child.buffer.count)
    }

    private func endChildren() {
        while children.count > frame.firstChild {
            var state = children.removeLast().state
            EncodingPool.giveBack(&state)
        }
    }
}

/// A collection of the standard library that is encoded without a container.
protocol EncodableCollection {
    /// Encodes the collection as the value of the frame of `state`.
    func encode(to state: EncodingState) throws
}

extension Array: EncodableCollection where Element: Encodable {
    func encode(to state: EncodingState) throws {
        try state.open(.array)
        for element in self {
            state.beginElement()
            try state.encode(element)
        }
    }
}

extension Set: EncodableCollection where Element: Encodable {
    func encode(to state: EncodingState) throws {
        switch self {
        case let texts as Set<String>:
            try texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.encode(to: state)
        case let numbers as Set<Int>:
            try numbers.sorted().encode(to: state)
        default:
            try state.open(.array)
            var starts: [Int] = []
            for element in self {
                state.beginElement()
                starts.append(state.buffer.count)
                try state.encode(element)
            }
            try state.sortElements(at: starts)
        }
    }
}

extension Dictionary: EncodableCollection where Key: Encodable, Value: Encodable {
    func encode(to state: EncodingState) throws {
        if Key.self == String.self {
            try state.open(.object)
            state.frame.hasUniqueKeys = true
            for (key, value) in self {
                state.beginMember(identityCast(key, to: String.self))
                try state.encode(value)
            }
        } else if Key.self is Int.Type || Key.self is any CodingKeyRepresentable.Type {
            // The standard library makes an object of such a dictionary.
            try encode(to: JSONValueEncoder(state: state, serial: state.frame.serial))
        } else {
            try state.open(.array)
            var starts: [Int] = []
            for (key, value) in self {
                state.beginElement()
                starts.append(state.buffer.count)
                try state.encode(key)
                state.beginElement()
                try state.encode(value)
            }
            try state.sortElements(at: starts)
        }
    }
}
