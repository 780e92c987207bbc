// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// A tree of services after reading, before anything in it runs.
struct ServiceTree {
    let root: TreeNode
    let bootstraps: [BootstrapHandler]
    let emitters: [Emitter]
    let problems: [ServiceTreeProblem]
}

/// Reads the description of a tree and makes its nodes.
///
/// It keeps the services that are being read in a list instead of recursing, so a deep tree needs no deep stack.
@MainActor
enum TreeReader {
    /// Maximum number of levels in a tree: services, groups, blocks of several services, and modifiers.
    ///
    /// Freeing a tree and printing the names of nested generic types need some stack for each level. This many levels fit
    /// into the 512 KiB of a secondary thread on Apple's platforms.
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

    /// A service whose children are being read.
    private struct OpenService {
        var rest: ArraySlice<ServiceReading.Child>
        var nodes: [TreeNode] = []
        let makeNode: @MainActor ([TreeNode]) -> TreeNode

        @MainActor
        init(_ reading: ServiceReading) {
            rest = reading.children[...]
            makeNode = reading.makeNode
        }
    }

    /// Makes the nodes of `root` and of everything under it.
    ///
    /// At the first service that is too deep, it stops and reports that.
    private static func node(of root: any Service, in context: ReadingContext) -> TreeNode {
        var open = [OpenService(begin(root, in: context))]
        while true {
            let last = open.count - 1
            if let (service, context) = open[last].rest.popFirst() {
                if open.count == levelLimit {
                    context.findings.note(.tooDeep(TreePath.repeatedServices(on: context.path), limit: levelLimit))
                    return TreeNode(.store([]))
                }
                open.append(OpenService(begin(service, in: context)))
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
        let bindings = bindings(of: service, in: inner)
        if !bindings.isEmpty { inner.bindings = EnvironmentBindings(bindings, within: context.bindings) }
        // A missing value has been reported. The body can't be read without it.
        if inner.bindings?.isComplete == false {
            return ServiceReading(TreeNode(.inner(TreeNode(.store([]))), label: .service(type)))
        }
        let body = withEnvironment(inner.bindings) { service.body }
        return ServiceReading(of: body, in: inner) { TreeNode(.inner($0), label: .service(type)) }
    }

    /// Runs `operation` so that the properties of services read `bindings`.
    private static func withEnvironment<Result>(
        _ bindings: EnvironmentBindings?,
        _ operation: () -> Result
    ) -> Result {
        guard let bindings else { return operation() }
        let environment = CurrentEnvironment(bindings: bindings, frame: nil)
        return CurrentEnvironment.$current.withValue(environment, operation: operation)
    }

    private static func bindings(of service: some Service, in context: ReadingContext) -> [EnvironmentBinding] {
        var bindings: [EnvironmentBinding] = []
        var mirror: Mirror? = Mirror(reflecting: service)
        while let current = mirror {
            for case let property as any EnvironmentReading in current.children.map(\.value) {
                let binding = property.makeBinding(in: context.values)
                bindings.append(binding)
                if binding.isMissing {
                    context.findings.note(.missingEnvironment(binding.reader.name, at: context.path))
                }
            }
            mirror = current.superclassMirror
        }
        return bindings
    }
}
