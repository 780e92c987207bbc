//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore
import Synchronization

/// Checks whether types can be made without making them: the stated dependencies, down to the last one.
///
/// The structure of a container never changes, so what was proved once for a type holds for the container. Only main-actor
/// objects are checked again each time, as they depend on the thread.
final class ResolutionProof: Sendable {
    /// A type whose dependencies are checked, and a dependency that the caller has itself.
    struct Subject: Hashable {
        let type: ObjectIdentifier
        let given: ObjectIdentifier?
    }

    private enum Finding: Sendable {
        case proved(includesMainActor: Bool)
        case failed(Failure)
    }

    /// A failure with the path from the type that was checked.
    struct Failure: Sendable {
        enum Kind { case missing, cyclic, notOnMainActor }

        let kind: Kind
        let path: [BindingPlace]
        let type: Any.Type

        /// The failure, for a type that is needed by `outer`.
        func failure(neededBy outer: [String]) -> ResolutionFailure {
            let names = outer + path.map(\.name)
            return switch kind {
            case .missing: ResolutionFailure.missing(type, neededBy: names)
            case .cyclic: ResolutionFailure.cycle(path.map(\.contract))
            case .notOnMainActor: ResolutionFailure.notOnMainActor(type, neededBy: names)
            }
        }
    }

    private let findings = Mutex<[Subject: Finding]>([:])

    /// Throws if `dependencies` of `subject` can't be resolved in `scope`.
    ///
    /// The path in the message begins with the objects that the thread is making, followed by `name`.
    ///
    /// - Returns: Whether the proof holds as long as the container exists, on every thread.
    func check(
        _ dependencies: @autoclosure () -> [Dependency],
        of subject: Subject,
        named name: @autoclosure () -> String?,
        in scope: ResolutionScope
    ) throws(ResolutionError) -> Bool {
        let known = findings.withLock { $0[subject] }
        let finding: Finding
        if let known {
            finding = known
        } else {
            var walk = ProofWalk(blueprint: scope.blueprint, scope: nil)
            if let failure = walk.run(dependencies()) {
                finding = .failed(failure)
            } else {
                finding = .proved(includesMainActor: walk.hasMetMainActor)
            }
            findings.withLock { $0[subject] = finding }
        }
        switch finding {
        case .proved(includesMainActor: false):
            return true
        case .proved(includesMainActor: true):
            if MainThread.isCurrent { return false }
            var walk = ProofWalk(blueprint: scope.blueprint, scope: scope)
            if let failure = walk.run(dependencies()) { throw error(failure, named: name()) }
            return false
        case .failed(let failure):
            throw error(failure, named: name())
        }
    }

    private func error(_ failure: Failure, named name: String?) -> ResolutionError {
        failure.failure(neededBy: ResolutionPath.names + (name.map { [$0] } ?? [])).error
    }
}

/// One walk through the bindings that dependencies lead to.
///
/// Without a scope it finds missing types and cycles. With a scope it finds objects that only the main actor can make.
private struct ProofWalk {
    private enum Visit { case onPath, behind }

    private struct Step {
        let binding: Binding?
        let dependencies: [Dependency]
        let scope: ResolutionScope?
        var targets: [Binding] = []
        var next = 0
    }

    let blueprint: Blueprint
    let scope: ResolutionScope?
    private(set) var hasMetMainActor = false
    private var visits: [ObjectIdentifier: Visit] = [:]

    init(blueprint: Blueprint, scope: ResolutionScope?) {
        self.blueprint = blueprint
        self.scope = scope
    }

    /// Returns the first failure, or `nil`.
    mutating func run(_ roots: [Dependency]) -> ResolutionProof.Failure? {
        // A stack of its own: a chain of dependencies may be longer than the stack of a thread.
        var steps: [Step] = []
        if let failure = push(nil, roots, scope, onto: &steps) { return failure }
        while var step = steps.last {
            guard step.next < step.targets.count else {
                if let binding = step.binding { visits[ObjectIdentifier(binding)] = .behind }
                steps.removeLast()
                continue
            }
            let target = step.targets[step.next]
            step.next += 1
            steps[steps.endIndex - 1] = step

            let path = steps.compactMap { $0.binding?.place }
            if target.isOnMainActor {
                hasMetMainActor = true
                if scope != nil {
                    return ResolutionProof.Failure(kind: .notOnMainActor, path: path, type: target.contract)
                }
            }
            switch visits[ObjectIdentifier(target)] {
            case .behind:
                continue
            case .onPath:
                let circle = steps.compactMap(\.binding).drop { $0 !== target }.map(\.place) + [target.place]
                return ResolutionProof.Failure(kind: .cyclic, path: circle, type: target.contract)
            case nil:
                let inner = target.isMadeInOutermostScope ? step.scope?.outermost : step.scope
                if let inner, target.hasMade(in: inner) { continue }
                if let failure = push(target, target.place.dependencies.stated, inner, onto: &steps) { return failure }
            }
        }
        return nil
    }

    /// Adds a step for `binding`, or returns the first missing dependency.
    private mutating func push(
        _ binding: Binding?,
        _ dependencies: [Dependency],
        _ scope: ResolutionScope?,
        onto steps: inout [Step]
    ) -> ResolutionProof.Failure? {
        var step = Step(binding: binding, dependencies: dependencies, scope: scope)
        for dependency in dependencies {
            guard let targets = blueprint.targets(of: dependency) else {
                let path = (steps.map(\.binding) + [binding]).compactMap { $0?.place }
                return ResolutionProof.Failure(kind: .missing, path: path, type: dependency.contract)
            }
            step.targets += targets
        }
        if let binding { visits[ObjectIdentifier(binding)] = .onPath }
        steps.append(step)
        return nil
    }
}

extension Blueprint {
    /// The bindings that `dependency` is resolved by, as ``ResolutionScope`` finds them; `nil` if they are missing.
    fileprivate func targets(of dependency: Dependency) -> [Binding]? {
        if dependency.isSet, let members = sets[dependency.contract] { return members.bindings }
        var type = dependency.contract
        while true {
            if let binding = bindings[type] { return [binding] }
            guard let optional = type as? any OptionalDependency.Type else { break }
            type = optional.wrapped
        }
        if let set = type as? any SetDependency.Type, let members = sets[set.element] { return members.bindings }
        return dependency.isOptional ? [] : nil
    }
}
