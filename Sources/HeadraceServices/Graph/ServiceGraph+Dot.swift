// SPDX-License-Identifier: Apache-2.0

extension ServiceGraph {
    /// The tree in Graphviz's DOT language, with services as rounded boxes, groups as boxes, and stores as cylinders.
    ///
    /// Related Graphviz documentation: <https://graphviz.org/doc/info/lang.html>
    public var dot: String {
        var lines = ["digraph services {", "    node [shape=box];"]
        for (index, box) in boxes.enumerated() {
            let attributes =
                switch box.shape {
                case .service: ", style=rounded"
                case .group: ""
                case .store: ", shape=cylinder"
                }
            let label = self.lines(of: box).map { Self.escapedForDot($0) }.joined(separator: "\\n")
            lines.append("    n\(index) [label=\"\(label)\"\(attributes)];")
        }
        for (index, box) in boxes.enumerated() {
            for child in box.children { lines.append("    n\(index) -> n\(child);") }
        }
        return (lines + ["}"]).joined(separator: "\n") + "\n"
    }

    /// Escapes `text` for a quoted string.
    private static func escapedForDot(_ text: String) -> String {
        text.map { character in
            switch character {
            case "\\": "\\\\"
            case "\"": "\\\""
            default: String(character)
            }
        }
        .joined()
    }
}
