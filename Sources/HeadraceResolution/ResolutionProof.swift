// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Synchronization

/// Checks whether types can be resolved, without creating objects, through all stated dependencies.
///
/// The structure of a container never changes, so a type is checked once in a container. Only main-actor objects are
/// checked again each time, because they depend on the thread.
final class ResolutionProof: Sendable {
    private enum Finding: Sendable {
        case proved(includesMainActor: Bool, includesBootstrapped: Bool)
        case failed(Defect)
    }

    /// A dependency that can't be resolved, with the path from the type that was checked.
    struct Defect: Sendable {
        enum Kind { case missing, cyclic, notOnMainActor, notBootstrapped }

        let kind: Kind
        let path: [BindingDescription]
        let type: Any.Type

        /// The failure for a caller that is creating `outer`.
        func failure(neededBy outer: [String]) -> ResolutionFailure {
            let names = outer + path.map(\.name)
            return switch kind {
            case .missing: ResolutionFailure.missing(type, neededBy: names)
            case .cyclic: ResolutionFailure.cycle(path.map(\.contract))
            case .notOnMainActor: ResolutionFailure.notOnMainActor(type, neededBy: names)
            case .notBootstrapped: ResolutionFailure.notBootstrapped(type, neededBy: names)
            }
        }
    }

    private let findings = Mutex<[ProofSubject: Finding]>([:])

    /// Throws if `dependencies` of `subject` can't be resolved in `scope`.
    ///
    /// The path in the message begins with the objects that the thread is creating, followed by `name`.
    ///
    /// - Returns: Whether the result holds as long as the container exists, on every thread.
    func check(
        _ dependencies: @autoclosure () -> [Dependency],
        of subject: ProofSubject,
        named name: @autoclosure () -> String?,
        in scope: ResolutionScope
    ) throws(ResolutionError) -> Bool {
        let known = findings.withLock { $0[subject] }
        let finding: Finding
        if let known {
            finding = known
        } else {
            var walk = ProofWalk(blueprint: scope.blueprint, scope: nil)
            if let defect = walk.run(dependencies()) {
                finding = .failed(defect)
            } else {
                finding = .proved(
                    includesMainActor: walk.hasMetMainActor,
                    includesBootstrapped: walk.hasMetBootstrapped
                )
            }
            findings.withLock { $0[subject] = finding }
        }
        switch finding {
        case .proved(includesMainActor: false, includesBootstrapped: false):
            return true
        case .proved(let includesMainActor, let includesBootstrapped):
            if !includesBootstrapped, MainActorCheck.isCurrent { return false }
            var walk = ProofWalk(blueprint: scope.blueprint, scope: scope)
            if let defect = walk.run(dependencies()) { throw error(defect, named: name()) }
            // The objects of `bootstrap` exist now, and never vanish.
            findings.withLock {
                $0[subject] = .proved(includesMainActor: includesMainActor, includesBootstrapped: false)
            }
            return !includesMainActor
        case .failed(let defect):
            throw error(defect, named: name())
        }
    }

    private func error(_ defect: Defect, named name: String?) -> ResolutionError {
        defect.failure(neededBy: ResolutionPath.names + (name.map { [$0] } ?? [])).error
    }
}

/// A depth-first search through the bindings of dependencies.
///
/// Without a scope it finds missing types and cycles. With a scope it finds objects that can't be created now: on this thread,
/// or before `bootstrap`.
private struct ProofWalk {
    private enum Visit { case inProgress, finished }

    /// A binding on the path of the search, with its targets and the position of the next one.
    private struct OpenBinding {
        let binding: (any AnyBinding)?
        let scope: ResolutionScope?
        var targets: [any AnyBinding] = []
        var next = 0
    }

    let blueprint: Blueprint
    let scope: ResolutionScope?
    private(set) var hasMetMainActor = false
    private(set) var hasMetBootstrapped = false
    private var visits: [ObjectIdentifier: Visit] = [:]

    init(blueprint: Blueprint, scope: ResolutionScope?) {
        self.blueprint = blueprint
        self.scope = scope
    }

    /// Returns the first defect, or `nil`.
    mutating func run(_ roots: [Dependency]) -> ResolutionProof.Defect? {
        // An explicit stack, because a chain of dependencies may be longer than the stack of a thread.
        var stack: [OpenBinding] = []
        if let defect = push(nil, roots, scope, onto: &stack) { return defect }
        while let open = stack.last {
            guard open.next < open.targets.count else {
                if let binding = open.binding { visits[ObjectIdentifier(binding)] = .finished }
                stack.removeLast()
                continue
            }
            let target = open.targets[open.next]
            stack[stack.endIndex - 1].next += 1

            if target.description.isOnMainActor {
                hasMetMainActor = true
                if scope != nil, !MainActorCheck.isCurrent {
                    let path = stack.compactMap { $0.binding?.description }
                    return ResolutionProof.Defect(kind: .notOnMainActor, path: path, type: target.contract)
                }
            }
            if target.description.bootstrap != nil {
                hasMetBootstrapped = true
                if let scope, !target.hasMade(in: scope) {
                    let path = stack.compactMap { $0.binding?.description }
                    return ResolutionProof.Defect(kind: .notBootstrapped, path: path, type: target.contract)
                }
            }
            switch visits[ObjectIdentifier(target)] {
            case .finished:
                continue
            case .inProgress:
                let circle = stack.compactMap(\.binding).drop { $0 !== target }.map(\.description)
                return ResolutionProof.Defect(
                    kind: .cyclic,
                    path: circle + [target.description],
                    type: target.contract
                )
            case nil:
                let inner = target.description.lifetime.isContainerWide ? open.scope?.outermost : open.scope
                if let inner, target.hasMade(in: inner) { continue }
                if let defect = push(target, target.description.dependencies.stated, inner, onto: &stack) {
                    return defect
                }
            }
        }
        return nil
    }

    /// Pushes `binding`, or returns the first missing dependency.
    private mutating func push(
        _ binding: (any AnyBinding)?,
        _ dependencies: [Dependency],
        _ scope: ResolutionScope?,
        onto stack: inout [OpenBinding]
    ) -> ResolutionProof.Defect? {
        var open = OpenBinding(binding: binding, scope: scope)
        for dependency in dependencies {
            guard let targets = blueprint.targets(of: dependency) else {
                let path = (stack.map(\.binding) + [binding]).compactMap { $0?.description }
                return ResolutionProof.Defect(kind: .missing, path: path, type: dependency.contract)
            }
            open.targets += targets
        }
        if let binding { visits[ObjectIdentifier(binding)] = .inProgress }
        stack.append(open)
        return nil
    }
}

/// The last container in which a type was checked, so that objects of the type are created without another check.
///
/// The structure of a container never changes, so the result holds as long as the container exists. The memory stores the
/// number of the container and not its address, because an address is used again.
package struct ProofMemory: ~Copyable, Sendable {
    /// The number of the container; 0 if nothing was checked.
    private let container = Atomic<UInt>(0)

    package init() {}

    /// Throws if an object of `type` can't be created in `scope` because a stated dependency is missing.
    ///
    /// A scope that doesn't belong to a ``Container`` can't be checked, so it never throws.
    ///
    /// - Complexity: O(1) after the first time in a container.
    /// - Throws: ``ResolutionError``.
    package func check<Made: Resolvable>(
        _ type: Made.Type,
        in scope: any DependencyResolutionScope
    ) throws(ResolutionError) {
        // A cast to a final class takes less time than the cast to a protocol in `containerNumber`.
        let number = (scope as? ResolutionScope)?.containerNumber ?? (scope as? BorrowedScope)?.containerNumber ?? 0
        if !holds(in: number) { try prove(type, in: scope, number) }
    }

    /// Whether the type was checked in the container with this number.
    package func holds(in number: UInt) -> Bool {
        number != 0 && container.load(ordering: .relaxed) == number
    }

    /// Records that the type was checked in the container with this number.
    package func remember(_ number: UInt) {
        container.store(number, ordering: .relaxed)
    }

    @inline(never)
    private func prove<Made: Resolvable>(
        _ type: Made.Type,
        in scope: any DependencyResolutionScope,
        _ number: UInt
    ) throws(ResolutionError) {
        guard scope is any ProvingResolver else { return }
        if try scope.check(type), number != 0 { remember(number) }
    }
}
