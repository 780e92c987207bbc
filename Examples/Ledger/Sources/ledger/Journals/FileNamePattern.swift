// SPDX-License-Identifier: Apache-2.0

/// A pattern for the names of files in a folder.
///
/// `*` matches any characters, `?` matches one, and `[a-c]` and `[!a-c]` match one of the characters in brackets, or one of the
/// others.
struct FileNamePattern {
    private enum Symbol {
        case anyText
        case anyCharacter
        case character(Character)
        case oneOf([ClosedRange<Character>], isNegated: Bool)

        func accepts(_ character: Character) -> Bool {
            switch self {
            case .anyText, .anyCharacter: true
            case .character(let own): own == character
            case .oneOf(let ranges, let isNegated): ranges.contains { $0.contains(character) } != isNegated
            }
        }
    }

    private var symbols: [Symbol] = []

    /// Whether `text` has characters with a meaning in patterns.
    static func isPattern(_ text: some StringProtocol) -> Bool { text.contains { "*?[".contains($0) } }

    /// Parses `text`, or returns `nil` if it has a bracket without its end, or an empty range.
    init?(_ text: some StringProtocol) {
        var rest = Substring(text)
        while let first = rest.popFirst() {
            switch first {
            case "*": symbols.append(.anyText)
            case "?": symbols.append(.anyCharacter)
            case "[":
                guard let set = Self.readSet(&rest) else { return nil }
                symbols.append(set)
            default: symbols.append(.character(first))
            }
        }
    }

    private static func readSet(_ rest: inout Substring) -> Symbol? {
        let isNegated = rest.first == "!" || rest.first == "^"
        if isNegated { rest.removeFirst() }
        // A bracket in the first place is a character of the set.
        guard let end = rest.dropFirst().firstIndex(of: "]") else { return nil }
        var set = rest[..<end]
        rest = rest[rest.index(after: end)...]
        var ranges: [ClosedRange<Character>] = []
        while let lower = set.popFirst() {
            guard set.first == "-", let upper = set.dropFirst().first else {
                ranges.append(lower...lower)
                continue
            }
            guard lower <= upper else { return nil }
            ranges.append(lower...upper)
            set = set.dropFirst(2)
        }
        return .oneOf(ranges, isNegated: isNegated)
    }

    /// Whether `name` matches, in time proportional to the product of the lengths.
    ///
    /// A name that begins with a point matches only a pattern that begins with a point.
    func matches(_ name: String) -> Bool {
        if name.first == "." {
            guard case .character(".") = symbols.first else { return false }
        }
        let name = Array(name)
        // reached[i] tells whether the first i characters of the name match the pattern up to here.
        var reached = [true] + [Bool](repeating: false, count: name.count)
        for symbol in symbols {
            var next = [Bool](repeating: false, count: name.count + 1)
            if case .anyText = symbol { next[0] = reached[0] }
            for index in name.indices {
                if case .anyText = symbol {
                    next[index + 1] = reached[index + 1] || next[index]
                } else {
                    next[index + 1] = reached[index] && symbol.accepts(name[index])
                }
            }
            reached = next
        }
        return reached[name.count]
    }
}
