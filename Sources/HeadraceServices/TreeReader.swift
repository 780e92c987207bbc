// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// A tree of services after reading, before anything in it runs.
struct ServiceTree {
    let root: ServiceNode
    let bootstraps: [BootstrapHandler]
    let emitters: [Emitter]
    let problems: [ServiceTreeProblem]
}

/// Everything found while the tree is read, apart from its nodes.
@MainActor
final class Findings {
    var bootstraps: [BootstrapHandler] = []
    var emitters: [Emitter] = []

    /// The action types that `transformError` makes, with the paths of the modifiers.
    var transformed: [(action: any Action.Type, path: TreePath?)] = []

    private(set) var problems: [ServiceTreeProblem] = []

    func note(_ problem: ServiceTreeProblem) {
        problems.append(problem)
    }
}

/// Everything that the tree has set for the service that is being read.
@MainActor
struct ReadingContext {
    var values: ServiceEnvironmentValues
    var strategy = ServiceNode.Strategy.concurrent
    var path: TreePath?

    /// The models provided above the service, the nearest last.
    var models: [ProvidedModel] = []

    /// The interceptors and error transforms around the service, the nearest last.
    var modifiers: [ServiceNode.Modifier] = []

    /// The modifiers of the store below, in the order written.
    var pending: [any PendingModifier] = []

    var bindings: EnvironmentBindings = [:]
    let findings: Findings

    var site: ServiceSite { ServiceSite(send: values.send, bindings: bindings) }

    func entering(_ component: TreePath.Component) -> ReadingContext {
        var inner = self
        inner.path = TreePath(component, within: path)
        return inner
    }

    /// Returns the nearest model of this type and its provider.
    func model<Model>(of type: Model.Type) -> (ProvidedModel, Model)? {
        for provided in models.reversed() {
            if let model = provided.model as? Model { return (provided, model) }
        }
        return nil
    }
}

/// A service of this module that makes its node without a body.
protocol BuiltInService: Service {
    /// Begins to read the service at the position that `context` describes.
    @MainActor func beginReading(in context: ReadingContext) -> ServiceReading
}

extension BuiltInService {
    /// Stops the program: a built-in service has no body.
    public var body: Never {
        let message = "'\(Self.self)' has no body. To fix, don't read it: 'Bootstrap' reads the service itself."
        return preconditionFailure(message)
    }
}

/// A service that is being read: its children, and the function that makes its node from their nodes.
@MainActor
struct ServiceReading {
    typealias Child = (service: any Service, context: ReadingContext)

    /// The children that haven't been read yet.
    var rest: ArraySlice<Child>

    /// The nodes of the children that have been read.
    var nodes: [ServiceNode] = []

    /// Makes the node from the nodes of the children, in their order.
    let makeNode: @MainActor ([ServiceNode]) -> ServiceNode

    init(of children: [Child], makeNode: @escaping @MainActor ([ServiceNode]) -> ServiceNode) {
        rest = children[...]
        self.makeNode = makeNode
    }

    /// Creates a reading with one child.
    init(
        of child: any Service,
        in context: ReadingContext,
        makeNode: @escaping @MainActor (ServiceNode) -> ServiceNode
    ) {
        self.init(of: [(child, context)]) { makeNode($0[0]) }
    }

    /// Creates a reading without children.
    init(_ node: ServiceNode) {
        self.init(of: []) { _ in node }
    }
}

/// Reads the description of a tree and makes its nodes.
///
/// It keeps the services that are being read in a list instead of recursing, so a deep tree needs no deep stack.
@MainActor
enum TreeReader {
    /// Maximum number of levels in a tree: services, groups, blocks of several services, and modifiers.
    ///
    /// Drawing and freeing a tree and printing the names of nested generic types need some stack for each level. This many
    /// levels fit into the 512 KiB of a secondary thread on Apple's platforms.
    static let levelLimit = 256

    static func read(_ services: @MainActor () throws -> some Service, send: Send) rethrows -> ServiceTree {
        let findings = Findings()
        let context = ReadingContext(values: ServiceEnvironmentValues(send: send), findings: findings)
        let root = node(of: try services(), in: context)
        // A tree that is too deep wasn't read to its end, and its paths are too long to be printed.
        if !findings.problems.contains(where: { $0.kind == .tooDeep }) {
            for (action, path) in findings.transformed where !root.wants(action) {
                findings.note(.unheard(action, at: path, from: "transformError"))
            }
        }
        return ServiceTree(
            root: root,
            bootstraps: findings.bootstraps,
            emitters: findings.emitters,
            problems: findings.problems
        )
    }

    /// Makes the nodes of `root` and of everything under it.
    ///
    /// At the first service that is too deep, it stops and reports that.
    private static func node(of root: any Service, in context: ReadingContext) -> ServiceNode {
        var open = [begin(root, in: context)]
        while true {
            let last = open.count - 1
            if let (service, context) = open[last].rest.popFirst() {
                if open.count == levelLimit {
                    context.findings.note(.tooDeep(TreePath.repeatedServices(on: context.path), limit: levelLimit))
                    return .empty
                }
                open.append(begin(service, in: context))
            } else {
                let done = open.removeLast()
                let node = done.makeNode(done.nodes)
                if open.isEmpty { return node }
                open[last - 1].nodes.append(node)
            }
        }
    }

    private static func begin(_ service: any Service, in context: ReadingContext) -> ServiceReading {
        // A list of one service is equivalent to that service.
        var service = service
        while let list = service as? ServiceList, list.services.count == 1 { service = list.services[0] }
        guard let service = service as? any BuiltInService else { return beginBody(of: service, in: context) }
        return withEnvironment(context.bindings) { service.beginReading(in: context) }
    }

    private static func beginBody(of service: some Service, in context: ReadingContext) -> ServiceReading {
        let type = type(of: service)
        var inner = context.entering(.service(type))
        // A missing value is reported. The body can't be read without it.
        guard bind(service, in: &inner) else { return ServiceReading(ServiceNode(.empty, labelled: .service(type))) }
        let body = withEnvironment(inner.bindings) { service.body }
        return ServiceReading(of: body, in: inner) { ServiceNode($0, labelled: .service(type)) }
    }

    /// Binds the properties of `service` that read the environment, and returns whether the tree sets all that they require.
    private static func bind(_ service: some Service, in context: inout ReadingContext) -> Bool {
        var isComplete = true
        var mirror: Mirror? = Mirror(reflecting: service)
        while let current = mirror {
            for case let property as any EnvironmentReading in current.children.map(\.value) {
                context.bindings[property.reader] = context.values
                if property.isSet(in: context.values) { continue }
                context.findings.note(.missingEnvironment(property.reader.name, at: context.path))
                isComplete = false
            }
            mirror = current.superclassMirror
        }
        return isComplete
    }

    /// Runs `operation` so that the properties of services read `bindings`.
    private static func withEnvironment<Result>(
        _ bindings: EnvironmentBindings,
        _ operation: () -> Result
    ) -> Result {
        if bindings.isEmpty { return operation() }
        let environment = CurrentEnvironment(bindings: bindings, frame: nil)
        return CurrentEnvironment.$current.withValue(environment, operation: operation)
    }
}
