// SPDX-License-Identifier: Apache-2.0

extension NamePattern {
    /// Number of steps that matches may still take.
    package struct Budget {
        /// The error for a budget that is used up.
        package struct Exhausted: Error {}

        /// The steps that are left.
        var steps: Int

        package init(steps: Int) {
            self.steps = steps
        }

        fileprivate mutating func spend(_ count: Int) throws(Exhausted) {
            steps -= count
            if steps < 0 { throw Exhausted() }
        }
    }

    /// Returns `name` with `replacement` instead of each match.
    ///
    /// - Complexity: O(*n*² *m*) in the length *n* of the name and *m* of the pattern; for most patterns, O(*n* *m*).
    /// - Throws: ``Budget/Exhausted``.
    func replacingMatches(
        in name: String, with replacement: Replacement, _ budget: inout Budget
    ) throws(Budget.Exhausted) -> String {
        var matcher = Matcher(pattern: self, text: Array(name.unicodeScalars), budget: budget)
        defer { budget = matcher.budget }
        let text = matcher.text
        var replaced = String.UnicodeScalarView()
        var position = 0
        while position <= text.count {
            if let groups = try matcher.match(at: position), let whole = groups[0] {
                for piece in replacement.pieces {
                    switch piece {
                    case .text(let text): replaced.append(contentsOf: text.unicodeScalars)
                    case .group(let number): replaced.append(contentsOf: groups[number].map { text[$0] } ?? [])
                    }
                }
                try matcher.budget.spend(replaced.count)
                position = whole.upperBound
                if !whole.isEmpty { continue }
            }
            if position < text.count { replaced.append(text[position]) }
            position += 1
        }
        return String(replaced)
    }

    /// Whether a part of `name` matches.
    ///
    /// - Complexity: As ``replacingMatches(in:with:_:)``.
    /// - Throws: ``Budget/Exhausted``.
    package func matches(partOf name: String, _ budget: inout Budget) throws(Budget.Exhausted) -> Bool {
        var matcher = Matcher(pattern: self, text: Array(name.unicodeScalars), budget: budget)
        defer { budget = matcher.budget }
        for start in 0...matcher.text.count where try matcher.match(at: start) != nil { return true }
        return false
    }

    /// The text in place of a match.
    struct Replacement {
        fileprivate enum Piece {
            case text(String)
            case group(Int)
        }

        fileprivate private(set) var pieces: [Piece] = []

        /// Parses `text`, in which `\1` stands for the first group of `pattern`, and `\0` for the whole match.
        ///
        /// - Throws: ``Defect`` if `pattern` has no such group.
        init(_ text: some StringProtocol, of pattern: NamePattern) throws(Defect) {
            var rest = Substring(text)
            while let first = rest.first {
                let digits = rest.dropFirst().prefix { ("0"..."9").contains($0) }
                if first == "\\", !digits.isEmpty {
                    guard let number = Int(digits), number <= pattern.groupCount else {
                        throw Defect(cause: "the pattern has no group '\\\(digits)'")
                    }
                    pieces.append(.group(number))
                    rest = rest[digits.endIndex...]
                } else {
                    let plain = rest.dropFirst().prefix { $0 != "\\" }
                    pieces.append(.text(String(rest[..<plain.endIndex])))
                    rest = rest[plain.endIndex...]
                }
            }
        }
    }
}

/// Finds matches of a pattern in a text.
private struct Matcher {
    private struct Place: Hashable {
        let node: Int
        let start: Int
    }

    let pattern: NamePattern
    let text: [Unicode.Scalar]
    var budget: NamePattern.Budget

    /// The known ends of matches of a part, the longest match first.
    private var known: [Place: [Int]] = [:]

    init(pattern: NamePattern, text: [Unicode.Scalar], budget: NamePattern.Budget) {
        self.pattern = pattern
        self.text = text
        self.budget = budget
    }

    /// Returns the longest match at `start` and its groups; `nil` for none.
    mutating func match(at start: Int) throws(NamePattern.Budget.Exhausted) -> [Range<Int>?]? {
        guard let end = try ends(of: pattern.root, at: start).first else { return nil }
        var groups = [Range<Int>?](repeating: nil, count: pattern.groupCount + 1)
        groups[0] = start..<end
        try divide(pattern.root, start..<end, into: &groups)
        return groups
    }

    /// Returns the ends of all matches of `node` at `start`, the longest match first.
    private mutating func ends(of node: Int, at start: Int) throws(NamePattern.Budget.Exhausted) -> [Int] {
        try budget.spend(1)
        switch pattern.nodes[node] {
        case .empty: return [start]
        case .start: return start == 0 ? [start] : []
        case .end: return start == text.count ? [start] : []
        case .character(let set): return start < text.count && set.accepts(text[start]) ? [start + 1] : []
        default: break
        }
        let place = Place(node: node, start: start)
        if let ends = known[place] { return ends }
        let ends = try endsOfParts(of: node, at: start)
        known[place] = ends
        return ends
    }

    private mutating func endsOfParts(of node: Int, at start: Int) throws(NamePattern.Budget.Exhausted) -> [Int] {
        var found: Set<Int> = []
        switch pattern.nodes[node] {
        case .empty, .start, .end, .character: return try ends(of: node, at: start)
        case .group(let inner, _): return try ends(of: inner, at: start)
        case .pair(let first, let rest):
            let middles = try ends(of: first, at: start)
            if let middle = middles.first, middles.count == 1 { return try ends(of: rest, at: middle) }
            for middle in middles {
                let ends = try ends(of: rest, at: middle)
                try budget.spend(ends.count)
                found.formUnion(ends)
            }
        case .either(let first, let second):
            found = Set(try ends(of: first, at: start)).union(try ends(of: second, at: start))
        case .optional(let inner): found = Set(try ends(of: inner, at: start)).union([start])
        case .star(let inner):
            found = [start]
            var open = [start]
            while let next = open.popLast() {
                let ends = try ends(of: inner, at: next)
                try budget.spend(ends.count)
                for end in ends where found.insert(end).inserted { open.append(end) }
            }
        }
        try budget.spend(found.count)
        return found.sorted(by: >)
    }

    /// Finds the groups in `span`, a match of `node`.
    ///
    /// As POSIX demands, a part on the left is as long as possible before the parts on its right.
    private mutating func divide(
        _ node: Int, _ span: Range<Int>, into groups: inout [Range<Int>?]
    ) throws(NamePattern.Budget.Exhausted) {
        switch pattern.nodes[node] {
        case .empty, .start, .end, .character: return
        case .group(let inner, let number):
            // Of the groups inside, those of an earlier repetition don't count.
            for inner in pattern.innerGroups(of: number) { groups[inner] = nil }
            groups[number] = span
            try divide(inner, span, into: &groups)
        case .pair(let first, let rest):
            for middle in try ends(of: first, at: span.lowerBound)
            where try ends(of: rest, at: middle).contains(span.upperBound) {
                try divide(first, span.lowerBound..<middle, into: &groups)
                return try divide(rest, middle..<span.upperBound, into: &groups)
            }
        case .either(let first, let second):
            let isFirst = try ends(of: first, at: span.lowerBound).contains(span.upperBound)
            try divide(isFirst ? first : second, span, into: &groups)
        case .optional(let inner):
            if try ends(of: inner, at: span.lowerBound).contains(span.upperBound) {
                try divide(inner, span, into: &groups)
            }
        case .star(let inner):
            var position = span.lowerBound
            while position < span.upperBound {
                var next = span.upperBound
                for end in try ends(of: inner, at: position) where end > position {
                    guard try ends(of: node, at: end).contains(span.upperBound) else { continue }
                    next = end
                    break
                }
                try divide(inner, position..<next, into: &groups)
                position = next
            }
        }
    }
}
