// SPDX-License-Identifier: Apache-2.0

/// The path from the root of the tree to a service.
///
/// The paths of sibling services share their beginning. A path stores types instead of names: printing the name of a deeply
/// nested generic type needs a deep stack, so names are printed only for messages.
final class TreePath: Sendable {
    enum Component: Sendable {
        case service(Any.Type)
        case group

        /// A position in a block, counting from 1.
        case position(Int)
    }

    private let component: Component
    private let outer: TreePath?

    init(_ component: Component, within outer: TreePath?) {
        self.component = component
        self.outer = outer
    }

    /// The names from the root to the service.
    static func names(of path: TreePath?) -> [String] {
        components(of: path).map { component in
            switch component {
            case .service(let type): String(shortNaming: type)
            case .group: "Group"
            case .position(let position): "\(position)"
            }
        }
    }

    /// The names in one line, with arrows between them.
    static func text(of path: TreePath?) -> String { names(of: path).joined(separator: " → ") }

    /// The services that occur at least twice on `path`, outermost first, with the number of their occurrences.
    static func repeatedServices(on path: TreePath?) -> [(type: Any.Type, count: Int)] {
        var counts: [ObjectIdentifier: Int] = [:]
        var types: [Any.Type] = []
        for case .service(let type) in components(of: path) {
            if counts[ObjectIdentifier(type)] == nil { types.append(type) }
            counts[ObjectIdentifier(type), default: 0] += 1
        }
        return types.map { (type: $0, count: counts[ObjectIdentifier($0)] ?? 0) }.filter { $0.count > 1 }
    }

    private static func components(of path: TreePath?) -> [Component] {
        guard let path else { return [] }
        return sequence(first: path, next: \.outer).map(\.component).reversed()
    }
}
