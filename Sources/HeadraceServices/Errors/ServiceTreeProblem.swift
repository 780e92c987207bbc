//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// One thing that is wrong, or seems so, with a tree of services.
public struct ServiceTreeProblem: Sendable, CustomStringConvertible {
    /// What is wrong, stable enough to branch on.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        private enum Name: String { case missingEnvironment, missingModel, tooDeep, unheard, unreachable, unusedModel }

        private let name: Name

        /// A service reads a value or an object that nothing above it states.
        public static let missingEnvironment = Kind(name: .missingEnvironment)

        /// A store has no model.
        public static let missingModel = Kind(name: .missingModel)

        /// A tree has more than 256 levels: services, groups, blocks of several services, and modifiers within each other.
        ///
        /// A service whose body contains the service itself has this problem. The tree is not read further.
        public static let tooDeep = Kind(name: .tooDeep)

        /// Actions are sent for which nothing waits.
        public static let unheard = Kind(name: .unheard)

        /// A mutation has no store.
        public static let unreachable = Kind(name: .unreachable)

        /// A model is given that no store takes.
        public static let unusedModel = Kind(name: .unusedModel)

        /// The name of the kind: bounded, fit for a metric label.
        public var description: String { name.rawValue }

        /// Whether no cluster is made; otherwise only ``Bootstrap/validate()`` tells of it.
        public var preventsBootstrap: Bool {
            switch name {
            case .missingEnvironment, .missingModel, .tooDeep, .unreachable: true
            case .unheard, .unusedModel: false
            }
        }
    }

    /// What is wrong.
    public let kind: Kind

    /// The way from the root to the service, by names; a number is the place in a block, counting from 1.
    ///
    /// For ``Kind-swift.struct/tooDeep``, the services that occur several times on the way, each once.
    public let path: [String]

    /// What is wrong and how to fix it, in one sentence each.
    public let message: String

    /// The kind and the message.
    public var description: String { "\(kind): \(message)" }

    private init(_ kind: Kind, _ path: [String], _ message: String) {
        self.kind = kind
        self.path = path
        self.message = message
    }

    private init(_ kind: Kind, _ path: PlanPath?, _ message: String) {
        self.init(kind, PlanPath.names(of: path), message)
    }

    private static func place(_ path: PlanPath?) -> String {
        path == nil ? "at the root" : "at '\(PlanPath.names(of: path).joined(separator: " → "))'"
    }

    static func tooDeep(_ repeated: [(type: Any.Type, count: Int)], limit: Int) -> ServiceTreeProblem {
        let names = repeated.map { "'\(TypeNames.full($0.type))' (\($0.count) times)" }.joined(separator: ", ")
        let recursion = repeated.isEmpty ? "" : " Services contain themselves: \(names)."
        let fix = repeated.isEmpty ? "" : "end the recursion in 'body', or "
        return ServiceTreeProblem(
            .tooDeep,
            repeated.map { TypeNames.short($0.type) },
            """
            The tree of services has more than \(limit) levels of services, groups and modifiers.\(recursion) \
            To fix, \(fix)put services beside each other in a 'Group' instead of into each other.
            """
        )
    }

    static func missingModel(_ model: Any.Type, actions: [any Action.Type], at path: PlanPath?) -> ServiceTreeProblem {
        let names = actions.map { "'\(TypeNames.short($0))'" }.joined(separator: ", ")
        let lost = actions.isEmpty ? "" : " Its mutations are out of reach: \(names)."
        return ServiceTreeProblem(
            .missingModel,
            path,
            """
            The store \(place(path)) has no model of '\(TypeNames.full(model))'.\(lost) \
            To fix, add '.with(model: …)' to it or to a service around it.
            """
        )
    }

    static func unusedModel(_ model: Any.Type, at path: PlanPath?) -> ServiceTreeProblem {
        ServiceTreeProblem(
            .unusedModel,
            path,
            """
            No store \(place(path)) takes the model of '\(TypeNames.full(model))'. \
            To fix, remove 'with(model:)', or put it around the store that it is for.
            """
        )
    }

    static func missingEnvironment(_ name: String, at path: PlanPath?) -> ServiceTreeProblem {
        ServiceTreeProblem(
            .missingEnvironment,
            path,
            """
            The service \(place(path)) reads a '\(name)' that nothing states. \
            To fix, add '.environment(…)' or '.environmentObject(…)' to it or to a service around it.
            """
        )
    }

    static func unreachable(_ model: Any.Type, action: (any Action.Type)?, at path: PlanPath?) -> ServiceTreeProblem {
        let name = action.map { "mutate(on: \(TypeNames.short($0)).self)" } ?? "modifier"
        return ServiceTreeProblem(
            .unreachable,
            path,
            """
            The '\(name)' \(place(path)) finds no single store of '\(TypeNames.full(model))' under it. \
            To fix, put it at the store.
            """
        )
    }

    static func unheard(_ action: any Action.Type, at path: PlanPath?, from source: String) -> ServiceTreeProblem {
        ServiceTreeProblem(
            .unheard,
            path,
            """
            No service reacts to '\(TypeNames.full(action))', which '\(source)' \(place(path)) gives. \
            To fix, add '.mutate(on: \(TypeNames.short(action)).self)' or '.observe(on: \(TypeNames.short(action)).self)'.
            """
        )
    }
}
