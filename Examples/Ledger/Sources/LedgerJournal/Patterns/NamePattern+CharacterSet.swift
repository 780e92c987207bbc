// SPDX-License-Identifier: Apache-2.0

extension NamePattern {
    /// The characters that a part of a pattern accepts, in upper or lower case.
    struct CharacterSet {
        private(set) var ranges: [ClosedRange<Unicode.Scalar>] = []
        private var isNegated = false

        /// All characters.
        static var any: CharacterSet {
            var set = CharacterSet()
            set.isNegated = true
            return set
        }

        private init() {}

        /// A single character.
        init(_ character: Unicode.Scalar) {
            ranges = [character...character]
        }

        /// Reads a set after its opening bracket, with the closing bracket.
        ///
        /// - Throws: ``NamePattern/Defect``.
        init(readingFrom rest: inout ArraySlice<Unicode.Scalar>) throws(Defect) {
            if rest.first == "^" {
                isNegated = true
                rest.removeFirst()
            }
            var isFirst = true
            while let lower = rest.popFirst() {
                if lower == "]", !isFirst { return }
                isFirst = false
                if lower == "[", let mark = rest.first, ":.=".unicodeScalars.contains(mark) {
                    ranges += try Self.readClass(&rest, mark: mark)
                } else if rest.first == "-", let upper = rest.dropFirst().first, upper != "]" {
                    guard lower <= upper, upper != "[" else { throw Defect(cause: "a range in brackets is empty") }
                    ranges.append(lower...upper)
                    rest = rest.dropFirst(2)
                } else {
                    ranges.append(lower...lower)
                }
            }
            throw Defect(cause: "a '[' has no ']'")
        }

        private static func readClass(
            _ rest: inout ArraySlice<Unicode.Scalar>, mark: Unicode.Scalar
        ) throws(Defect) -> [ClosedRange<Unicode.Scalar>] {
            let name = String(String.UnicodeScalarView(rest.dropFirst().prefix { $0 != mark && $0 != "]" }))
            let end = rest.dropFirst(1 + name.unicodeScalars.count)
            guard mark == ":", end.starts(with: ":]".unicodeScalars), let ranges = classes[name] else {
                throw Defect(cause: "the class '[\(mark)\(name)\(mark)]' isn't supported")
            }
            rest = end.dropFirst(2)
            return ranges
        }

        private static let classes: [String: [ClosedRange<Unicode.Scalar>]] = [
            "alnum": ["0"..."9", "A"..."Z", "a"..."z"],
            "alpha": ["A"..."Z", "a"..."z"],
            "blank": ["\t"..."\t", " "..." "],
            "digit": ["0"..."9"],
            "lower": ["a"..."z"],
            "punct": ["!"..."/", ":"..."@", "["..."`", "{"..."~"],
            "space": ["\t"..."\r", " "..." "],
            "upper": ["A"..."Z"],
            "xdigit": ["0"..."9", "A"..."F", "a"..."f"],
        ]

        /// Whether the set has `character` in upper or lower case.
        func accepts(_ character: Unicode.Scalar) -> Bool {
            let properties = character.properties
            let isIn =
                has(character) || Self.single(properties.lowercaseMapping).map(has) == true
                || Self.single(properties.uppercaseMapping).map(has) == true
            return isIn != isNegated
        }

        private func has(_ character: Unicode.Scalar) -> Bool { ranges.contains { $0.contains(character) } }

        private static func single(_ text: String) -> Unicode.Scalar? {
            text.unicodeScalars.count == 1 ? text.unicodeScalars.first : nil
        }
    }
}
