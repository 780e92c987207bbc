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
        for index in add(root, remarks: []) { roots.append(index) }
    }

    /// The boxes that no other holds.
    package private(set) var roots: [Int] = []

    /// Draws `node` and gives the boxes that are its own.
    private mutating func add(_ node: Node, remarks: [String]) -> [Int] {
        var remarks = remarks
        if case .remark(let remark)? = node.label { remarks.insert(remark, at: 0) }
        switch node.content {
        case .store(let handlers):
            guard case .store(let model)? = node.label else { return [] }
            var types: [String] = []
            for handler in handlers {
                let name = TypeNames.short(handler.actionType)
                if !types.contains(name) { types.append(name) }
            }
            return [open(.store, "Store of \(TypeNames.short(model))", types.map { "on \($0)" } + remarks)]
        case .hook(let moment, let hook, let inner):
            let word =
                switch moment {
                case .pre: "before";
                case .post: "after";
                case .observe: "observes"
                }
            let remark = "\(word) \(hook.actionType.map { TypeNames.short($0) } ?? "every action")"
            return add(inner, remarks: [remark] + remarks)
        case .transform(_, let inner):
            return add(inner, remarks: remarks)
        case .list(let nodes, let strategy):
            let children = nodes.flatMap { add($0, remarks: []) }
            let word = strategy == .serial ? "serial" : "concurrent"
            let box = open(.group, "Block", [word] + remarks.filter { $0 != "serial" && $0 != "concurrent" })
            boxes[box].children = children
            return [box]
        case .inner(let inner):
            switch node.label {
            case .service(let name)?: return [hold(inner, in: open(.service, name, remarks))]
            case .group?: return [hold(inner, in: open(.group, "Group", remarks))]
            case .store?, .remark?, nil: return add(inner, remarks: remarks)
            }
        }
    }

    private mutating func open(_ shape: Box.Shape, _ title: String, _ remarks: [String]) -> Int {
        boxes.append(Box(shape: shape, title: title, remarks: remarks))
        return boxes.count - 1
    }

    /// Draws `node` in `box`; a block there is the box itself.
    private mutating func hold(_ node: Node, in box: Int) -> Int {
        if case .list(let nodes, let strategy) = node.content {
            let word = strategy == .serial ? "serial" : "concurrent"
            boxes[box].remarks = [word] + boxes[box].remarks.filter { $0 != "serial" && $0 != "concurrent" }
            for node in nodes { boxes[box].children += add(node, remarks: []) }
        } else {
            let children = add(node, remarks: [])
            boxes[box].children = children
        }
        return box
    }

    /// The lines in each box: its name, then what is said of it.
    func lines(of box: Box) -> [String] { [box.title] + box.remarks }
}
