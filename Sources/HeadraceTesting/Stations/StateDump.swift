// SPDX-License-Identifier: Apache-2.0

import CustomDump

/// The text form of a state.
///
/// It allows a comparison of states that aren't `Equatable`.
struct StateDump {
    /// A line of the dump.
    private struct DumpLine {
        var text: String

        /// Names of the properties that lead to this line.
        let path: [String]
    }

    private let lines: [DumpLine]

    init(of state: some Any) {
        var lines: [DumpLine] = []
        var path: [String] = []
        var hiddenDepth: Int?
        for line in String(customDumping: state).split(separator: "\n", omittingEmptySubsequences: false) {
            let depth = line.prefix { $0 == " " }.count / 2
            let content = line.dropFirst(depth * 2)
            if let hidden = hiddenDepth {
                if depth > hidden || depth == hidden && content.first == ")" { continue }
                hiddenDepth = nil
            }
            var label = content.contains(": ") ? String(content.prefix { $0 != ":" }) : ""
            var text = String(line)
            // The Observation macro adds `_$…` properties and renames stored properties to `_…`.
            if label.hasPrefix("_$") {
                hiddenDepth = depth
                continue
            }
            if label.hasPrefix("_") {
                label.removeFirst()
                text = String(repeating: "  ", count: depth) + content.dropFirst()
            }
            path = Array(path.prefix(depth)) + Array(repeating: "", count: max(0, depth - path.count)) + [label]
            lines.append(DumpLine(text: text, path: path))
        }
        self.lines = lines
    }

    /// Returns the properties that differ between two new instances, such as a UUID.
    func unstablePaths(comparedWith other: StateDump) -> Set<[String]> {
        guard lines.count == other.lines.count else { return [] }
        return Set(zip(lines, other.lines).filter { $0.text != $1.text }.map(\.0.path))
    }

    /// Returns the text without the values of `unstable` properties.
    func text(without unstable: Set<[String]>) -> String {
        lines.map { line in
            guard unstable.contains(line.path) else { return line.text }
            let indentation = line.text.prefix { $0 == " " }
            return "\(indentation)\(line.path.last ?? ""): (differs for each instance)"
        }.joined(separator: "\n")
    }
}
