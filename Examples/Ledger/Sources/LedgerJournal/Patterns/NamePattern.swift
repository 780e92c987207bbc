// SPDX-License-Identifier: Apache-2.0

/// A regular expression for account names, which ignores case.
///
/// As in hledger, these are POSIX extended regular expressions. They have characters, `.`, brackets with ranges
/// and classes, `*`, `+`, `?`, `{2,3}`, `|`, groups, `^`, and `$`. The longest of the leftmost matches counts. A backslash
/// makes the next punctuation character literal.
///
/// Matching takes polynomial time, and a ``Budget`` limits it.
package struct NamePattern: Sendable {
    /// The reason why a text isn't a pattern.
    package struct Defect: Error {
        /// The cause, as a clause.
        package let cause: String
    }

    /// A part of a pattern.
    ///
    /// Its own parts have lower positions.
    enum Node: Sendable {
        case empty
        case start
        case end
        case character(CharacterSet)
        case group(Int, Int)
        case pair(Int, Int)
        case either(Int, Int)
        case optional(Int)
        case star(Int)
    }

    /// Maximum number of nodes, and of ranges in all sets of characters.
    static let maximumNodeCount = 400

    /// Number of ranges in all sets of characters.
    private var rangeCount = 0

    /// The parts of the pattern.
    private(set) var nodes: [Node] = []

    /// The position of the whole pattern.
    private(set) var root = 0

    /// Number of groups.
    private(set) var groupCount = 0

    /// For each group, the number of the last group inside of it.
    private var lastInnerGroup: [Int] = [0]

    /// Parses `text`.
    ///
    /// - Throws: ``Defect``.
    package init(_ text: some StringProtocol) throws(Defect) {
        var rest = Array(text.unicodeScalars)[...]
        root = try readChoice(&rest, depth: 0)
        guard rest.isEmpty else { throw Defect(cause: "a ')' has no '('") }
    }

    /// The numbers of the groups inside the group `number`.
    func innerGroups(of number: Int) -> Range<Int> { (number + 1)..<(lastInnerGroup[number] + 1) }

    private mutating func add(_ node: Node) throws(Defect) -> Int {
        nodes.append(node)
        // A match looks through the ranges of a set.
        if case .character(let set) = node { rangeCount += set.ranges.count }
        guard max(nodes.count, rangeCount) <= Self.maximumNodeCount else { throw Defect(cause: "it is too long") }
        return nodes.count - 1
    }

    private mutating func readChoice(
        _ rest: inout ArraySlice<Unicode.Scalar>, depth: Int
    ) throws(Defect) -> Int {
        guard depth <= 50 else { throw Defect(cause: "its groups are nested too deeply") }
        let first = try readSequence(&rest, depth: depth)
        guard rest.first == "|" else { return first }
        rest.removeFirst()
        let second = try readChoice(&rest, depth: depth + 1)
        return try add(.either(first, second))
    }

    private mutating func readSequence(
        _ rest: inout ArraySlice<Unicode.Scalar>, depth: Int
    ) throws(Defect) -> Int {
        var parts: [Int] = []
        while let next = rest.first, next != "|", next != ")" { parts.append(try readPart(&rest, depth: depth)) }
        guard var sequence = parts.popLast() else { throw Defect(cause: "an alternative is empty") }
        for part in parts.reversed() { sequence = try add(.pair(part, sequence)) }
        return sequence
    }

    private mutating func readPart(_ rest: inout ArraySlice<Unicode.Scalar>, depth: Int) throws(Defect) -> Int {
        let firstNode = nodes.count
        let atom = try readAtom(&rest, depth: depth)
        let repeated: Int
        switch rest.first {
        case "*": repeated = try add(.star(atom))
        case "+": repeated = try add(.pair(atom, try add(.star(atom))))
        case "?": repeated = try add(.optional(atom))
        case "{":
            guard let bounds = Self.readBounds(&rest) else { return atom }
            return try repetition(of: atom, from: firstNode, bounds)
        default: return atom
        }
        rest.removeFirst()
        if let next = rest.first, "*+?".unicodeScalars.contains(next) {
            throw Defect(cause: "a repetition is repeated")
        }
        return repeated
    }

    private mutating func readAtom(_ rest: inout ArraySlice<Unicode.Scalar>, depth: Int) throws(Defect) -> Int {
        switch rest.removeFirst() {
        case "^": return try add(.start)
        case "$": return try add(.end)
        case ".": return try add(.character(.any))
        case "[": return try add(.character(try CharacterSet(readingFrom: &rest)))
        case "(":
            groupCount += 1
            let number = groupCount
            lastInnerGroup.append(number)
            let inner = rest.first == ")" ? try add(.empty) : try readChoice(&rest, depth: depth + 1)
            guard rest.popFirst() == ")" else { throw Defect(cause: "a '(' has no ')'") }
            lastInnerGroup[number] = groupCount
            return try add(.group(inner, number))
        case "*", "+", "?": throw Defect(cause: "a repetition has nothing before it")
        case "\\":
            guard let escaped = rest.popFirst() else { throw Defect(cause: "it ends with a backslash") }
            let isPlain = escaped.isASCII && !escaped.properties.isAlphabetic && !("0"..."9").contains(escaped)
            guard isPlain, !"<>`'".unicodeScalars.contains(escaped) else {
                throw Defect(cause: "'\\\(escaped)' isn't supported")
            }
            return try add(.character(CharacterSet(escaped)))
        case let other: return try add(.character(CharacterSet(other)))
        }
    }

    /// Reads `{2}`, `{2,}`, or `{2,3}`; `nil` if there is other text after the brace.
    private static func readBounds(_ rest: inout ArraySlice<Unicode.Scalar>) -> (lower: Int, upper: Int?)? {
        let inner = rest.dropFirst().prefix { $0 != "}" }
        guard inner.endIndex < rest.endIndex else { return nil }
        let numbers = inner.split(separator: ",", omittingEmptySubsequences: false)
            .map { String(String.UnicodeScalarView($0)) }
        guard numbers.count <= 2, let lower = number(numbers[0]) else { return nil }
        var upper: Int? = lower
        if numbers.count == 2 {
            upper = numbers[1].isEmpty ? nil : number(numbers[1])
            if upper == nil, !numbers[1].isEmpty { return nil }
        }
        if let upper, upper < lower { return nil }
        rest = rest[(inner.endIndex + 1)...]
        return (lower, upper)
    }

    private static func number(_ text: String) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }

    /// Adds copies of `atom`.
    ///
    /// The nodes of `atom` begin at `firstNode`.
    private mutating func repetition(
        of atom: Int, from firstNode: Int, _ bounds: (lower: Int, upper: Int?)
    ) throws(Defect) -> Int {
        guard max(bounds.lower, bounds.upper ?? 0) <= Self.maximumNodeCount else {
            throw Defect(cause: "it is too long")
        }
        let copied = Array(nodes[firstNode...atom])
        var tail: Int?
        if let upper = bounds.upper {
            for _ in bounds.lower..<upper {
                let copy = try add(copied, from: firstNode)
                tail = try add(.optional(try pair(copy, tail)))
            }
        } else {
            tail = try add(.star(try add(copied, from: firstNode)))
        }
        for _ in 0..<bounds.lower {
            tail = try pair(try add(copied, from: firstNode), tail)
        }
        if let tail { return tail }
        return try add(.empty)
    }

    /// Adds `first` before `rest`, if there is a rest.
    private mutating func pair(_ first: Int, _ rest: Int?) throws(Defect) -> Int {
        guard let rest else { return first }
        return try add(.pair(first, rest))
    }

    /// Adds copies of `copied`, which begin at `firstNode`, and returns the position of the last copy.
    private mutating func add(_ copied: [Node], from firstNode: Int) throws(Defect) -> Int {
        let shift = nodes.count - firstNode
        for node in copied {
            let copy: Node =
                switch node {
                case .empty, .start, .end, .character: node
                case .group(let inner, let number): .group(inner + shift, number)
                case .pair(let first, let rest): .pair(first + shift, rest + shift)
                case .either(let first, let second): .either(first + shift, second + shift)
                case .optional(let inner): .optional(inner + shift)
                case .star(let inner): .star(inner + shift)
                }
            _ = try add(copy)
        }
        return nodes.count - 1
    }
}
