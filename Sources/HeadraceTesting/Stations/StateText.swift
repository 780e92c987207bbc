//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CustomDump

/// A state as text, to be compared with another one: whatever it is, without `Equatable`.
struct StateText {
    /// A line of the dump, and where it belongs.
    private struct Line {
        var text: String

        /// The names of the properties that lead to it.
        let path: [String]
    }

    private let lines: [Line]

    init(of state: some Any) {
        var lines: [Line] = []
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
            // What observation has added or renamed is no part of the state.
            if label.hasPrefix("_$") {
                hiddenDepth = depth
                continue
            }
            if label.hasPrefix("_") {
                label.removeFirst()
                text = String(repeating: "  ", count: depth) + content.dropFirst()
            }
            path = Array(path.prefix(depth)) + Array(repeating: "", count: max(0, depth - path.count)) + [label]
            lines.append(Line(text: text, path: path))
        }
        self.lines = lines
    }

    /// The properties whose lines are not the same in `other`, though nothing has happened yet.
    func unstablePaths(comparedWith other: StateText) -> Set<[String]> {
        guard lines.count == other.lines.count else { return [] }
        return Set(zip(lines, other.lines).filter { $0.text != $1.text }.map(\.0.path))
    }

    /// The text, without what is another one for each instance.
    func text(without unstable: Set<[String]>) -> String {
        lines.map { line in
            guard unstable.contains(line.path) else { return line.text }
            let indentation = line.text.prefix { $0 == " " }
            return "\(indentation)\(line.path.last ?? ""): (another one for each instance)"
        }.joined(separator: "\n")
    }
}
