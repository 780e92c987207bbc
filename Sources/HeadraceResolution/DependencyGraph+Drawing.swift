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

extension DependencyGraph {
    /// A unique name for each type: the short name, or the name with its module if the short name isn't unique, or that name
    /// with a number if it isn't unique either.
    package var titles: [String] {
        let types = Self.distinct(nodes.map(\.contract))
        let short = Self.counted(types.map { TypeSpelling.short($0) })
        let full = Self.counted(types.map { TypeSpelling.full($0) })
        var used: [String: Int] = [:]
        var names: [ObjectIdentifier: String] = [:]
        for type in types {
            let shortName = TypeSpelling.short(type)
            let fullName = TypeSpelling.full(type)
            if short[shortName] == 1 {
                names[ObjectIdentifier(type)] = shortName
            } else if full[fullName] == 1 {
                names[ObjectIdentifier(type)] = fullName
            } else {
                used[fullName, default: 0] += 1
                names[ObjectIdentifier(type)] = "\(fullName) (\(used[fullName, default: 1]))"
            }
        }
        return nodes.map { $0.part?.label ?? names[ObjectIdentifier($0.contract)] ?? TypeSpelling.full($0.contract) }
    }

    private static func distinct(_ types: [Any.Type]) -> [Any.Type] {
        var seen: Set<ObjectIdentifier> = []
        return types.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    private static func counted(_ names: [String]) -> [String: Int] {
        Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
    }
}

extension DependencyNode {
    /// The lines below the name in a drawing.
    package var remarks: [String] {
        let word =
            switch kind {
            case .registration(let lifetime): lifetime.description
            case .part: part?.remark ?? "made later"
            case .missing: "missing"
            }
        let made = implementation.map { ["made as \(TypeSpelling.short($0))"] } ?? []
        return made + [([word] + details + (isOpaque ? ["opaque"] : [])).joined(separator: ", ")]
    }
}
