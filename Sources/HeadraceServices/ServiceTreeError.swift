// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// All problems of a tree of services.
public struct ServiceTreeError: CodedError {
    /// The problems, at least one, in the order in which they were found.
    public let problems: [ServiceTreeProblem]

    /// The only code: `serviceTree`.
    public var code: String { "serviceTree" }

    /// Number of problems, then each problem on a separate line.
    public var message: String {
        let count = problems.count == 1 ? "1 problem" : "\(problems.count) problems"
        return (["\(count) in the tree of services."] + problems.map { "- \($0)" }).joined(separator: "\n")
    }

    init(_ problems: [ServiceTreeProblem]) {
        self.problems = problems
    }
}

/// A certain or likely mistake in a tree of services.
public struct ServiceTreeProblem: Sendable, CustomStringConvertible {
    /// The kind of problem; stable, so callers can branch on it.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        private enum Name: String { case missingEnvironment, missingModel, tooDeep, unheard, unreachable, unusedModel }

        private let name: Name

        /// A service reads an environment value or object that nothing above it sets.
        public static let missingEnvironment = Kind(name: .missingEnvironment)

        /// A store has no model.
        public static let missingModel = Kind(name: .missingModel)

        /// A tree has more than 256 levels: services, groups, blocks of several services, and modifiers within each other.
        ///
        /// A service whose body contains the service itself has this problem. The tree is not read further.
        public static let tooDeep = Kind(name: .tooDeep)

        /// No service handles an action that the tree sends.
        public static let unheard = Kind(name: .unheard)

        /// No single store exists for a mutation.
        public static let unreachable = Kind(name: .unreachable)

        /// No store takes a provided model.
        public static let unusedModel = Kind(name: .unusedModel)

        /// The name of the kind, suitable as a metric label.
        public var description: String { name.rawValue }

        /// Whether ``Bootstrap`` throws the problem.
        ///
        /// Otherwise only ``Bootstrap/validate()`` reports it.
        public var preventsBootstrap: Bool {
            switch name {
            case .missingEnvironment, .missingModel, .tooDeep, .unreachable: true
            case .unheard, .unusedModel: false
            }
        }
    }

    /// The kind of problem.
    public let kind: Kind

    /// The names from the root to the service.
    ///
    /// A number is the position in a block, counting from 1. For ``Kind-swift.struct/tooDeep``, the services that occur several
    /// times on the path, each once.
    public let path: [String]

    /// The problem and the fix, in one sentence each.
    public let message: String

    /// The kind and the message.
    public var description: String { "\(kind): \(message)" }

    private init(_ kind: Kind, _ path: [String], _ message: String) {
        self.kind = kind
        self.path = path
        self.message = message
    }

    private init(_ kind: Kind, _ path: TreePath?, _ message: String) {
        self.init(kind, TreePath.names(of: path), message)
    }

    private static func location(_ path: TreePath?) -> String {
        path == nil ? "at the root" : "at '\(TreePath.text(of: path))'"
    }

    static func tooDeep(_ repeated: [(type: Any.Type, count: Int)], limit: Int) -> ServiceTreeProblem {
        let names = repeated.map { "'\(String(naming: $0.type))' (\($0.count) times)" }.joined(separator: ", ")
        let recursion = repeated.isEmpty ? "" : " These services contain themselves: \(names)."
        let fix = repeated.isEmpty ? "" : "end the recursion in 'body', or "
        return ServiceTreeProblem(
            .tooDeep,
            repeated.map { String(shortNaming: $0.type) },
            """
            The tree of services has more than \(limit) levels of services, groups and modifiers.\(recursion) \
            To fix, \(fix)put services next to each other in a 'Group' instead of nesting them.
            """
        )
    }

    static func missingModel(_ model: Any.Type, actions: [any Action.Type], at path: TreePath?) -> ServiceTreeProblem {
        let names = actions.map { "'\(String(shortNaming: $0))'" }.joined(separator: ", ")
        let lost = actions.isEmpty ? "" : " Its mutations can't run: \(names)."
        return ServiceTreeProblem(
            .missingModel,
            path,
            """
            The store \(location(path)) has no model of '\(String(naming: model))'.\(lost) \
            To fix, add '.with(model: …)' to it or to a service around it.
            """
        )
    }

    static func unusedModel(_ model: Any.Type, at path: TreePath?) -> ServiceTreeProblem {
        ServiceTreeProblem(
            .unusedModel,
            path,
            """
            No store \(location(path)) takes the model of '\(String(naming: model))'. \
            To fix, remove 'with(model:)', or move it to the store that needs the model.
            """
        )
    }

    static func missingEnvironment(_ name: String, at path: TreePath?) -> ServiceTreeProblem {
        ServiceTreeProblem(
            .missingEnvironment,
            path,
            """
            The service \(location(path)) reads a '\(name)' that nothing above it sets. \
            To fix, add '.environment(…)' or '.environmentObject(…)' to it or to a service around it.
            """
        )
    }

    static func unreachable(_ model: Any.Type, action: (any Action.Type)?, at path: TreePath?) -> ServiceTreeProblem {
        let name = action.map { "mutate(on: \(String(shortNaming: $0)).self)" } ?? "modifier"
        return ServiceTreeProblem(
            .unreachable,
            path,
            """
            The '\(name)' \(location(path)) needs exactly one store of '\(String(naming: model))' under it. \
            To fix, move it to the store.
            """
        )
    }

    static func unheard(_ action: any Action.Type, at path: TreePath?, from source: String) -> ServiceTreeProblem {
        ServiceTreeProblem(
            .unheard,
            path,
            """
            No service handles '\(String(naming: action))', which '\(source)' \(location(path)) sends. \
            To fix, add '.mutate(on: \(String(shortNaming: action)).self)' or '.observe(on: \(String(shortNaming: action)).self)'.
            """
        )
    }
}

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

extension String {
    /// The name of `type` without its module, for messages and drawings.
    ///
    /// For the name with the module see `String(naming:)` in HeadraceCore.
    init(shortNaming type: Any.Type) {
        self = String(describing: type).withoutTypeAddresses
    }
}
