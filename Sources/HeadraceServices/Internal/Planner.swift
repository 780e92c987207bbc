//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// Reads a tree of services and makes the nodes of it.
@MainActor
enum Planner {
    /// What is known of a tree before anything of it runs.
    struct Reading {
        let root: Node
        let bootstraps: [BootstrapHandler]
        let emitters: [Emitter]
        let problems: [ServiceTreeProblem]
    }

    static func read(_ services: @MainActor () throws -> some Service, send: Send) rethrows -> Reading {
        let collector = PlanCollector()
        let context = PlanContext(values: ServiceEnvironmentValues(send: send), collector: collector)
        let root = node(of: try services(), in: context)
        for (action, path) in collector.transformed where !root.wants(action) {
            collector.note(.unheard(action, at: path, from: "transformError"))
        }
        return Reading(
            root: root,
            bootstraps: collector.bootstraps,
            emitters: collector.emitters,
            problems: collector.problems
        )
    }

    static func node(of service: some Service, in context: PlanContext) -> Node {
        if let service = service as? any BuiltInService { return service.makeNode(in: context) }
        let name = TypeNames.short(type(of: service))
        var inner = context.entering(name)
        let bindings = bindings(of: service, in: inner)
        if !bindings.isEmpty { inner.bindings = EnvironmentBindings(bindings, within: context.bindings) }
        let body = inner.bindings.map { bindings in
            EnvironmentScope.$current.withValue(EnvironmentScope(bindings: bindings, frame: nil)) {
                // A property that is missing is reported; its service is not read further.
                bindings.isComplete ? Planner.node(of: service.body, in: inner) : Node(.store([]))
            }
        }
        return Node(.inner(body ?? node(of: service.body, in: inner)), label: .service(name))
    }

    private static func bindings(of service: some Service, in context: PlanContext) -> [EnvironmentBinding] {
        var bindings: [EnvironmentBinding] = []
        var mirror: Mirror? = Mirror(reflecting: service)
        while let current = mirror {
            for case let property as any EnvironmentReading in current.children.map(\.value) {
                let binding = property.makeBinding(in: context.values)
                bindings.append(binding)
                if binding.isMissing {
                    context.collector.note(.missingEnvironment(binding.reader.name, at: context.path))
                }
            }
            mirror = current.superclassMirror
        }
        return bindings
    }
}
