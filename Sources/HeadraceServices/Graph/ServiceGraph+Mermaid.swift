// SPDX-License-Identifier: Apache-2.0

extension ServiceGraph {
    /// The tree as a Mermaid flowchart, with services as rounded boxes, groups as boxes, and stores as cylinders.
    ///
    /// Related Mermaid documentation: <https://mermaid.js.org/syntax/flowchart.html>
    public var mermaid: String {
        var lines = ["flowchart TD"]
        for (index, box) in boxes.enumerated() {
            let (opening, closing) =
                switch box.shape {
                case .service: ("(", ")")
                case .group: ("[", "]")
                case .store: ("[(", ")]")
                }
            let label = self.lines(of: box).map { Self.escapedForMermaid($0) }.joined(separator: "<br/>")
            lines.append("    n\(index)\(opening)\"\(label)\"\(closing)")
        }
        for (index, box) in boxes.enumerated() {
            for child in box.children { lines.append("    n\(index) --> n\(child)") }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Escapes the characters of `text` that end or format a quoted Mermaid label.
    private static func escapedForMermaid(_ text: String) -> String {
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
            default: String(character)
            }
        }
        .joined()
    }
}
