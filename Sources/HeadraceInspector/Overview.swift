// SPDX-License-Identifier: Apache-2.0

import HeadraceResolution
import HeadraceServices

/// A dependency graph or a service tree, as the page draws it.
struct GraphView: Sendable, Encodable {
    struct NodeView: Sendable, Encodable {
        let title: String
        let remarks: [String]
        let shape: String
        let edges: [EdgeView]
    }

    struct EdgeView: Sendable, Encodable {
        let target: Int
        let kind: String
    }

    let name: String
    let kind: String
    let nodes: [NodeView]

    /// Indices of the nodes without an incoming edge.
    let roots: [Int]

    /// The same graph in the Mermaid language.
    let mermaid: String

    init(_ graph: DependencyGraph, name: String) {
        let titles = graph.titles
        self.name = name
        kind = "dependencies"
        mermaid = graph.mermaid
        nodes = graph.nodes.indices.map { index in
            let node = graph.nodes[index]
            let shape =
                switch node.kind {
                case .registration(let lifetime): lifetime.description
                case .part: "part"
                case .missing: "missing"
                }
            let edges = node.edges.map { edge in
                let kind =
                    switch edge.kind {
                    case .required: "required"
                    case .optional: "optional"
                    case .later: "later"
                    }
                return EdgeView(target: edge.target, kind: kind)
            }
            return NodeView(title: titles[index], remarks: node.remarks, shape: shape, edges: edges)
        }
        let targets = Set(nodes.flatMap { $0.edges.map(\.target) })
        roots = nodes.indices.filter { !targets.contains($0) }
    }

    init(_ graph: ServiceGraph, name: String) {
        self.name = name
        kind = "services"
        mermaid = graph.mermaid
        roots = graph.roots
        nodes = graph.boxes.map { box in
            let shape =
                switch box.shape {
                case .service: "service"
                case .group: "group"
                case .store: "store"
                }
            let edges = box.children.map { EdgeView(target: $0, kind: "child") }
            return NodeView(title: box.title, remarks: box.remarks, shape: shape, edges: edges)
        }
    }
}

/// Names of everything that the page can show.
struct Overview: Encodable {
    /// Distinguishes this inspector from a predecessor with the same entry numbers.
    let session: String

    let allowsWrites: Bool
    let capacity: Int
    let windowSeconds: Double

    /// Time over which the capacity is spread while no page is open, in seconds; 0 if nothing is recorded then.
    let retentionSeconds: Double
    let graphs: [String]
    let stations: [String]
    let stores: [String]

    /// The stores that can keep workflows.
    let workflowStores: [String]

    /// For each kind of hidden content, the reason and how to show it.
    let hints = HiddenContent.hints

    init(_ inspector: Inspector, allowsWrites: Bool) {
        session = inspector.session
        self.allowsWrites = allowsWrites
        capacity = inspector.recorder.configuration.capacity
        windowSeconds = inspector.recorder.configuration.window / .seconds(1)
        retentionSeconds = inspector.recorder.configuration.retention / .seconds(1)
        graphs = inspector.graphs.map(\.name)
        stations = inspector.stations.map(\.name)
        stores = inspector.stores.map(\.name)
        workflowStores = inspector.stores.filter(\.hasWorkflows).map(\.name)
    }
}
