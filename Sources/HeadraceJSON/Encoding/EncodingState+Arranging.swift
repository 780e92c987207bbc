// SPDX-License-Identifier: Apache-2.0

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
