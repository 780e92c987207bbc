// SPDX-License-Identifier: Apache-2.0

extension DependencyGraph {
    /// The graph for Graphviz.
    ///
    /// Singletons, weak, and time-limited objects are bold, scoped objects are rounded, and transient objects are boxes. Opaque types are dashed, and
    /// missing types are red octagons.
    ///
    /// Related Graphviz documentation: <https://graphviz.org/doc/info/lang.html>
    public var dot: String {
        let titles = titles
        var lines = ["digraph dependencies {", "    rankdir=LR;", "    node [shape=box];"]
        for (index, node) in nodes.enumerated() {
            let label = ([titles[index]] + node.remarks).map { Self.escapedForDot($0) }.joined(separator: "\\n")
            lines.append("    n\(index) [label=\"\(label)\"\(node.dotAttributes)];")
        }
        for (index, node) in nodes.enumerated() {
            for edge in node.edges {
                let attributes =
                    switch edge.kind {
                    case .required: ""
                    case .optional: " [style=dashed, label=\"optional\"]"
                    case .later: " [style=dashed, label=\"later\"]"
                    }
                lines.append("    n\(index) -> n\(edge.target)\(attributes);")
            }
        }
        return (lines + ["}"]).joined(separator: "\n") + "\n"
    }

    /// `text` as it is written between quotation marks.
    static func escapedForDot(_ text: String) -> String {
        text.map { character in
            switch character {
            case "\\": "\\\\"
            case "\"": "\\\""
            case let character where character.isNewline: " "
            default: String(character)
            }
        }
        .joined()
    }
}

extension DependencyNode {
    fileprivate var dotAttributes: String {
        var styles: [String] = []
        switch kind {
        case .registration(let lifetime) where lifetime.isContainerWide: styles.append("bold")
        case .registration(.scoped): styles.append("rounded")
        case .missing: return ", shape=octagon, color=red"
        case .registration, .part: break
        }
        if isOpaque { styles.append("dashed") }
        return styles.isEmpty ? "" : ", style=\"\(styles.joined(separator: ","))\""
    }
}
