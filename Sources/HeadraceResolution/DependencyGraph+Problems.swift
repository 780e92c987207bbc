// SPDX-License-Identifier: Apache-2.0

extension DependencyGraph {
    /// A problem for each dependency on a type that is not registered.
    var missing: [CompositionProblem] {
        let origins = origins
        return nodes.indices.flatMap { index in
            nodes[index].edges
                .filter { nodes[$0.target].kind == .missing }
                .map { edge in
                    let path = path(to: index, by: origins).map { nodes[$0] }
                    return .missing(
                        nodes[edge.target].contract,
                        path: path.filter { $0.part?.label == nil }.map(\.contract),
                        neededBy: path.map(\.name)
                    )
                }
        }
    }

    /// A problem for each edge that closes a cycle, in the order in which a depth-first search finds them.
    ///
    /// Without these edges no cycle is left. A part is created later, so an edge to a part closes no cycle.
    var cyclic: [CompositionProblem] {
        var state = [Visit](repeating: .unvisited, count: nodes.count)
        var problems: [CompositionProblem] = []
        for root in nodes.indices where state[root] == .unvisited {
            // An explicit stack, because a chain of dependencies may be longer than the stack of a thread.
            var path = [(node: root, next: 0)]
            state[root] = .inProgress
            while let (node, next) = path.last {
                let targets = immediateTargets(of: node)
                guard next < targets.count else {
                    state[node] = .finished
                    path.removeLast()
                    continue
                }
                path[path.endIndex - 1].next += 1
                let target = targets[next]
                switch state[target] {
                case .unvisited:
                    state[target] = .inProgress
                    path.append((target, 0))
                case .inProgress:
                    let circle = path.map(\.node).drop { $0 != target } + [target]
                    problems.append(.cyclic(circle.map { nodes[$0].contract }))
                case .finished:
                    break
                }
            }
        }
        return problems
    }

    /// A problem for each scoped or time-limited node that a shared object holds, directly or through transient nodes.
    ///
    /// Weak and time-limited nodes hold scoped objects of the outermost scope as well. A factory uses the scope of its object
    /// later, so it holds scoped objects, but it returns the time-limited object of the moment.
    var captives: [CompositionProblem] {
        nodes.indices.filter { nodes[$0].lifetime?.isContainerWide == true }.flatMap { holder in
            paths(from: holder, along: heldTargets) { nodes[$0].lifetime == .scoped }
                .map {
                    .captive(contracts($0), heldBy: nodes[holder].lifetime.flatMap { $0 == .singleton ? nil : "\($0)" })
                }
                + paths(from: holder, along: immediateTargets) { hasShorterTime($0, than: holder) }
                .map { .heldBeyondItsTime(contracts($0)) }
        }
    }

    /// Whether `node` is replaced while the object of `holder` still holds it.
    private func hasShorterTime(_ node: Int, than holder: Int) -> Bool {
        guard nodes[node].lifetime == .timeLimited else { return false }
        guard let limit = nodes[node].timeLimit, let holderLimit = nodes[holder].timeLimit else { return true }
        return limit < holderLimit
    }

    /// The shortest path to each node that `isTarget` accepts, through transient nodes and parts.
    private func paths(
        from start: Int,
        along targets: (_ node: Int) -> [Int],
        to isTarget: (_ node: Int) -> Bool
    ) -> [[Int]] {
        var origin: [Int: Int] = [:]
        var queue = [start]
        var paths: [[Int]] = []
        while !queue.isEmpty {
            let node = queue.removeFirst()
            for target in targets(node) where origin[target] == nil && target != start {
                origin[target] = node
                switch nodes[target].kind {
                case .registration(.transient), .part: queue.append(target)
                case .registration, .missing: break
                }
                guard isTarget(target) else { continue }
                var path = [target]
                while let last = path.last, let previous = origin[last] { path.append(previous) }
                paths.append(path.reversed())
            }
        }
        return paths
    }

    private func contracts(_ path: [Int]) -> [Any.Type] {
        path.map { nodes[$0].contract }
    }

    private enum Visit { case unvisited, inProgress, finished }

    /// The dependencies that `node` needs while it is created.
    private func immediateTargets(of node: Int) -> [Int] {
        nodes[node].edges.filter { $0.kind != .later }.map(\.target)
    }

    /// The dependencies that come from the scope of `node`, now or later.
    private func heldTargets(of node: Int) -> [Int] {
        nodes[node].edges
            .filter { $0.kind != .later || nodes[$0.target].part?.isInSameScope == true }
            .map(\.target)
    }

    /// The previous node on a path to each node.
    ///
    /// Paths start at the nodes that no other node needs, then at the first node of each cycle.
    private var origins: [Int: Int] {
        let needed = Set(nodes.flatMap { $0.edges.map(\.target) })
        var reached: Set<Int> = []
        var origins: [Int: Int] = [:]
        for root in nodes.indices.filter({ !needed.contains($0) }) + nodes.indices
        where reached.insert(root).inserted {
            var queue = [root]
            var position = 0
            while position < queue.count {
                let node = queue[position]
                position += 1
                for edge in nodes[node].edges where reached.insert(edge.target).inserted {
                    origins[edge.target] = node
                    queue.append(edge.target)
                }
            }
        }
        return origins
    }

    private func path(to node: Int, by origins: [Int: Int]) -> [Int] {
        var path = [node]
        while let last = path.last, let previous = origins[last] { path.append(previous) }
        return path.reversed()
    }
}
