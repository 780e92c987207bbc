// SPDX-License-Identifier: Apache-2.0

/// A drawing of a tree of services.
///
/// ```swift
/// try cluster.graph.mermaid.write(to: file, atomically: true, encoding: .utf8)
/// ```
///
/// Services and stores are boxes, in the order written. The box of a store lists its action types. Modifiers are listed in the
/// box of the service that they modify. The same program always draws the same text.
public struct ServiceGraph: Sendable {
    package struct Box: Sendable {
        package enum Shape: Sendable { case service, group, store }

        package var shape: Shape
        package var title: String
        package var remarks: [String] = []
        package var children: [Int] = []
    }

    package private(set) var boxes: [Box] = []

    init(_ root: ServiceNode) {
        roots = draw(root)
    }

    /// The indices of the boxes that no other box contains.
    package private(set) var roots: [Int] = []

    /// Draws `node` and returns the indices of its outermost boxes.
    private mutating func draw(_ node: ServiceNode) -> [Int] {
        var node = node
        var remarks: [String] = []
        while case .modified(let inner, let modifier) = node.content {
            switch modifier {
            case .label(.service(let type)): return [box(.service, String(shortNaming: type), remarks, around: inner)]
            case .label(.group): return [box(.group, "Group", remarks, around: inner)]
            case .label(.store(let model)):
                let lines = Self.actionNames(of: inner).map { "on \($0)" } + remarks
                return [open(.store, "Store of \(String(shortNaming: model))", lines)]
            case .label(.remark(let remark)): remarks.insert(remark, at: 0)
            case .interceptor(let interceptor): remarks.insert(Self.remark(of: interceptor), at: 0)
            case .transform(let transform):
                let name = transform.actionType.map { String(shortNaming: $0) } ?? "actions"
                remarks.insert("turns errors into \(name)", at: 0)
            }
            node = inner
        }
        guard case .list(let nodes, let strategy) = node.content else { return [] }
        let children = nodes.flatMap { draw($0) }
        let block = open(.group, "Block", Self.remarks(remarks, under: strategy))
        boxes[block].children = children
        return [block]
    }

    /// Draws the box of a group or service, and its content; a block shares the box.
    private mutating func box(
        _ shape: Box.Shape,
        _ title: String,
        _ remarks: [String],
        around content: ServiceNode
    ) -> Int {
        let box = open(shape, title, remarks)
        if case .list(let nodes, let strategy) = content.content {
            boxes[box].remarks = Self.remarks(remarks, under: strategy)
            boxes[box].children = nodes.flatMap { draw($0) }
        } else {
            boxes[box].children = draw(content)
        }
        return box
    }

    private mutating func open(_ shape: Box.Shape, _ title: String, _ remarks: [String]) -> Int {
        boxes.append(Box(shape: shape, title: title, remarks: remarks))
        return boxes.count - 1
    }

    private static func remark(of interceptor: Interceptor) -> String {
        let word =
            switch interceptor.phase {
            case .pre: "before"
            case .post: "after"
            case .observe: "observes"
            }
        return "\(word) \(interceptor.actionType.map { String(shortNaming: $0) } ?? "every action")"
    }

    /// The action types of the handlers of a store, each once.
    private static func actionNames(of store: ServiceNode) -> [String] {
        guard case .list(let nodes, _) = store.content else { return [] }
        var names: [String] = []
        for case .handler(let handler) in nodes.map(\.content) {
            let name = String(shortNaming: handler.actionType)
            if !names.contains(name) { names.append(name) }
        }
        return names
    }

    /// The remarks of a block, beginning with its strategy.
    private static func remarks(_ remarks: [String], under strategy: ServiceNode.Strategy) -> [String] {
        [strategy == .serial ? "serial" : "concurrent"] + remarks.filter { $0 != "serial" && $0 != "concurrent" }
    }

    /// The lines of a box: its title, then its remarks.
    func lines(of box: Box) -> [String] { [box.title] + box.remarks }
}

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
