//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A tree of services, to be drawn.
///
/// ```swift
/// try cluster.graph.mermaid.write(to: file, atomically: true, encoding: .utf8)
/// ```
///
/// Services and stores are boxes, in the order written; a store names its actions, and modifiers stand in the box that they
/// are at. The same program draws the same text.
public struct ServiceGraph: Sendable {
    package struct Box: Sendable {
        package enum Shape: Sendable { case service, group, store }

        package var shape: Shape
        package var title: String
        package var remarks: [String] = []
        package var children: [Int] = []
    }

    package private(set) var boxes: [Box] = []

    init(_ root: Node) {
        roots = draw(root)
    }

    /// The boxes that no other holds.
    package private(set) var roots: [Int] = []

    /// A box whose content is being drawn.
    private struct OpenBox {
        /// The box, or `nil` for a block, which gets its box after its content.
        var box: Int?
        var remarks: [String] = []
        var rest: ArraySlice<Node>
        var children: [Int] = []
    }

    /// Draws `root` and returns the boxes that no other box holds.
    ///
    /// Nodes wait in a list instead of on the stack: a thread's stack may be small, and a tree deep.
    private mutating func draw(_ root: Node) -> [Int] {
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

    /// Draws `node` as far as the next box; returns that box if it holds others.
    private mutating func begin(_ node: Node, on sheet: inout OpenBox) -> OpenBox? {
        var node = node
        var remarks: [String] = []
        while true {
            if case .remark(let remark)? = node.label { remarks.insert(remark, at: 0) }
            switch node.content {
            case .store(let handlers):
                guard case .store(let model)? = node.label else { return nil }
                var types: [String] = []
                for handler in handlers {
                    let name = TypeNames.short(handler.actionType)
                    if !types.contains(name) { types.append(name) }
                }
                let lines = types.map { "on \($0)" } + remarks
                sheet.children.append(open(.store, "Store of \(TypeNames.short(model))", lines))
                return nil
            case .hook(let moment, let hook, let inner):
                let word =
                    switch moment {
                    case .pre: "before"
                    case .post: "after"
                    case .observe: "observes"
                    }
                remarks.insert("\(word) \(hook.actionType.map { TypeNames.short($0) } ?? "every action")", at: 0)
                node = inner
            case .transform(_, let inner):
                node = inner
            case .list(let nodes, let strategy):
                return OpenBox(remarks: Self.remarks(remarks, under: strategy), rest: nodes[...])
            case .inner(let inner):
                switch node.label {
                case .service(let type)?: return hold(inner, in: open(.service, TypeNames.short(type), remarks))
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

    /// Begins to draw `node` in `box`; a block there is the box itself.
    private mutating func hold(_ node: Node, in box: Int) -> OpenBox {
        guard case .list(let nodes, let strategy) = node.content else { return OpenBox(box: box, rest: [node]) }
        boxes[box].remarks = Self.remarks(boxes[box].remarks, under: strategy)
        return OpenBox(box: box, rest: nodes[...])
    }

    /// The remarks at a block, with its strategy in front.
    private static func remarks(_ remarks: [String], under strategy: Strategy) -> [String] {
        [strategy == .serial ? "serial" : "concurrent"] + remarks.filter { $0 != "serial" && $0 != "concurrent" }
    }

    /// The lines in each box: its name, then what is said of it.
    func lines(of box: Box) -> [String] { [box.title] + box.remarks }
}
