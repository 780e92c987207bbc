// SPDX-License-Identifier: Apache-2.0

extension DependencyGraph {
    /// The graph as a Mermaid flow chart.
    ///
    /// Singletons, weak, and time-limited objects are stadiums, scoped objects are rounded, and transient objects are boxes. Opaque types have a
    /// dashed border, and missing types are hexagons.
    ///
    /// Related Mermaid documentation: <https://mermaid.js.org/syntax/flowchart.html>
    public var mermaid: String {
        let titles = titles
        var lines = ["flowchart LR"]
        for (index, node) in nodes.enumerated() {
            let shape = node.mermaidShape
            let label = ([titles[index]] + node.remarks).map { Self.escapedForMermaid($0) }.joined(separator: "<br/>")
            lines.append("    n\(index)\(shape.opening)\"\(label)\"\(shape.closing)")
        }
        for (index, node) in nodes.enumerated() {
            for edge in node.edges {
                let arrow =
                    switch edge.kind {
                    case .required: "-->"
                    case .optional: "-.->|optional|"
                    case .later: "-.->|later|"
                    }
                lines.append("    n\(index) \(arrow) n\(edge.target)")
            }
        }
        for (name, style, isMember) in Self.mermaidClasses {
            let members = nodes.indices.filter { isMember(nodes[$0]) }.map { "n\($0)" }
            guard !members.isEmpty else { continue }
            lines.append("    classDef \(name) \(style)")
            lines.append("    class \(members.joined(separator: ",")) \(name)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static let mermaidClasses: [(String, String, @Sendable (DependencyNode) -> Bool)] = [
        ("opaque", "stroke-dasharray: 4 4", { $0.isOpaque }),
        ("missing", "stroke:#c00,color:#c00", { $0.kind == .missing }),
    ]

    /// `text` as it is written between quotation marks, with Mermaid's escapes.
    static func escapedForMermaid(_ text: String) -> String {
        text.map { character in
            switch character {
            case "#": "#35;"
            case "\"": "#quot;"
            case "&": "#amp;"
            case "<": "#lt;"
            case ">": "#gt;"
            case "`": "#96;"
            case "*": "#42;"
            case "_": "#95;"
            case let character where character.isNewline: " "
            default: String(character)
            }
        }
        .joined()
    }
}

extension DependencyNode {
    fileprivate var mermaidShape: (opening: String, closing: String) {
        switch kind {
        case .registration(let lifetime) where lifetime.isContainerWide: ("([", "])")
        case .registration(.scoped): ("(", ")")
        case .registration: ("[", "]")
        case .part: ("[/", "/]")
        case .missing: ("{{", "}}")
        }
    }
}
