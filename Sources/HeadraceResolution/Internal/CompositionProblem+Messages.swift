//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension CompositionProblem {
    static func missing(_ type: Any.Type, neededBy path: [DependencyNode]) -> CompositionProblem {
        CompositionProblem(
            .missing,
            path: path.filter { $0.part?.label == nil }.map(\.contract) + [type],
            message: """
                Nothing is registered for '\(TypeNames.full(type))', needed by \(TypeNames.path(path.map(\.name))). \
                To fix, add \(TypeNames.lineToAdd(for: type)), '.scoped' or '.singleton', or take an optional where it may be missing.
                """
        )
    }

    static func cyclic(_ circle: [Any.Type]) -> CompositionProblem {
        CompositionProblem(.cyclic, path: circle, message: ResolutionFailure.cycle(circle).message)
    }

    static func duplicate(_ type: Any.Type, _ registrations: [Registration]) -> CompositionProblem {
        let lifetimes = registrations.map(\.lifetime.description).joined(separator: ", ")
        return CompositionProblem(
            .duplicate,
            path: [type],
            message: """
                '\(TypeNames.full(type))' is registered \(registrations.count) times (\(lifetimes)), and the last one wins. \
                To fix, remove all but one, or make them a set: \
                'builder.transient(into: \(TypeNames.expression(of: type))) { … }' for each.
                """
        )
    }

    static func unproved(_ node: DependencyNode) -> CompositionProblem {
        let made = node.implementation ?? node.contract
        let line = TypeNames.expression(of: node.contract)
        let fix: String
        if let advice = node.part?.advice {
            fix = advice
        } else if made is any Resolvable.Type {
            fix = """
                '\(TypeNames.full(made))' doesn't state its dependencies. To fix, add '@Resolvable', or state them in \
                'static var dependencies'.
                """
        } else {
            fix = """
                Its factory is a closure that takes its scope. To fix, register an initializer, as in \
                'builder.transient(\(TypeNames.full(made)).init)', or state the dependencies, as in \
                'builder.transient(\(line), opaque(needs: …) { scope in … })'.
                """
        }
        return CompositionProblem(
            .unproved,
            path: [node.contract],
            message: "Nothing proves that '\(TypeNames.full(node.contract))' can be made. \(fix)"
        )
    }

    static func captive(_ path: [Any.Type]) -> CompositionProblem {
        let singleton = path.first.map { TypeNames.expression(of: $0) } ?? ""
        let scoped = path.last.map { TypeNames.expression(of: $0) } ?? ""
        return CompositionProblem(
            .captive,
            path: path,
            message: """
                A singleton holds something scoped, that of the outermost scope, for ever: \(TypeNames.path(path)). \
                To fix, register the first with 'builder.scoped(\(singleton)) { … }', \
                or the last with 'builder.singleton(\(scoped)) { … }'.
                """
        )
    }
}
