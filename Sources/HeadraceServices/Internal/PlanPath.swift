//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The way from the root of the tree to a service; the paths of services under one service share their beginning.
///
/// It keeps types instead of names: printing the name of a deeply nested generic type needs a deep stack, so a name is
/// printed only when a message shows it.
final class PlanPath: Sendable {
    enum Step: Sendable {
        case service(Any.Type)
        case group

        /// A place in a block, counting from 1.
        case place(Int)
    }

    private let step: Step
    private let outer: PlanPath?

    init(_ step: Step, within outer: PlanPath?) {
        self.step = step
        self.outer = outer
    }

    /// The names, from the root to the service.
    static func names(of path: PlanPath?) -> [String] {
        steps(of: path).map { step in
            switch step {
            case .service(let type): TypeNames.short(type)
            case .group: "Group"
            case .place(let place): "\(place)"
            }
        }
    }

    /// The services that occur at least twice on `path`, outermost first, with the number of their occurrences.
    static func repeatedServices(on path: PlanPath?) -> [(type: Any.Type, count: Int)] {
        var counts: [ObjectIdentifier: Int] = [:]
        var types: [Any.Type] = []
        for case .service(let type) in steps(of: path) {
            if counts[ObjectIdentifier(type)] == nil { types.append(type) }
            counts[ObjectIdentifier(type), default: 0] += 1
        }
        return types.map { (type: $0, count: counts[ObjectIdentifier($0)] ?? 0) }.filter { $0.count > 1 }
    }

    private static func steps(of path: PlanPath?) -> [Step] {
        var steps: [Step] = []
        var next = path
        while let current = next {
            steps.append(current.step)
            next = current.outer
        }
        return steps.reversed()
    }
}
