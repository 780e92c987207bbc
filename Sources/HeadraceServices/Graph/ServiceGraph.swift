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

    init(_ root: TreeNode) {
        roots = draw(root)
    }

    /// The indices of the boxes that no other box contains.
    package private(set) var roots: [Int] = []

    /// A box whose content is being drawn.
    private struct OpenBox {
        /// The index of the box, or `nil` for a block: its box is created after its content.
        var box: Int?
        var remarks: [String] = []
        var rest: ArraySlice<TreeNode>
        var children: [Int] = []
    }

    /// Draws `root` and returns the boxes that no other box contains.
    ///
    /// It keeps a list of open boxes instead of recursing: a thread's stack may be small, and a tree deep.
    private mutating func draw(_ root: TreeNode) -> [Int] {
        var sheet = OpenBox(rest: [root])
        var open: [OpenBox] = []
        while true {
            if let node = sheet.rest.popFirst() {
                if let inner = begin(node, on: &sheet) {
                    open.append(sheet)
                    sheet = inner
                }
            } else {
                guard var outer = open.popLast() else { return sheet.children }
                let box = sheet.box ?? self.open(.group, "Block", sheet.remarks)
                boxes[box].children = sheet.children
                outer.children.append(box)
                sheet = outer
            }
        }
    }

    /// Draws `node` up to the next box, and returns that box if it contains others.
    private mutating func begin(_ node: TreeNode, on sheet: inout OpenBox) -> OpenBox? {
        var node = node
        var remarks: [String] = []
        while true {
            if case .remark(let remark)? = node.label { remarks.insert(remark, at: 0) }
            switch node.content {
            case .store(let handlers):
                guard case .store(let model)? = node.label else { return nil }
                var types: [String] = []
                for handler in handlers {
                    let name = String(shortNaming: handler.actionType)
                    if !types.contains(name) { types.append(name) }
                }
                let lines = types.map { "on \($0)" } + remarks
                sheet.children.append(open(.store, "Store of \(String(shortNaming: model))", lines))
                return nil
            case .modified(let inner, .interceptor(let phase, let interceptor)):
                let word =
                    switch phase {
                    case .pre: "before"
                    case .post: "after"
                    case .observe: "observes"
                    }
                let name = interceptor.actionType.map { String(shortNaming: $0) } ?? "every action"
                remarks.insert("\(word) \(name)", at: 0)
                node = inner
            case .modified(let inner, .transform):
                node = inner
            case .list(let nodes, let strategy):
                return OpenBox(remarks: Self.remarks(remarks, under: strategy), rest: nodes[...])
            case .inner(let inner):
                switch node.label {
                case .service(let type)?: return hold(inner, in: open(.service, String(shortNaming: type), remarks))
                case .group?: return hold(inner, in: open(.group, "Group", remarks))
                case .store?, .remark?, nil: node = inner
                }
            }
        }
    }

    private mutating func open(_ shape: Box.Shape, _ title: String, _ remarks: [String]) -> Int {
        boxes.append(Box(shape: shape, title: title, remarks: remarks))
        return boxes.count - 1
    }

    /// Begins to draw `node` in `box`.
    ///
    /// A block shares the box of its group or service.
    private mutating func hold(_ node: TreeNode, in box: Int) -> OpenBox {
        guard case .list(let nodes, let strategy) = node.content else { return OpenBox(box: box, rest: [node]) }
        boxes[box].remarks = Self.remarks(boxes[box].remarks, under: strategy)
        return OpenBox(box: box, rest: nodes[...])
    }

    /// The remarks of a block, beginning with its strategy.
    private static func remarks(_ remarks: [String], under strategy: TreeNode.Strategy) -> [String] {
        [strategy == .serial ? "serial" : "concurrent"] + remarks.filter { $0 != "serial" && $0 != "concurrent" }
    }

    /// The lines of a box: its title, then its remarks.
    func lines(of box: Box) -> [String] { [box.title] + box.remarks }
}
