// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Synchronization

/// A part of a running tree of services, which passes actions to the handlers of their types.
///
/// A node finds its children by action type, so a send visits only the services that handle its type.
final class ServiceNode: Sendable {
    /// How siblings handle an action.
    enum Strategy: Sendable { case serial, concurrent }

    /// The text of a node in a drawing.
    enum Label: Sendable {
        case service(Any.Type)
        case group
        case store(Any.Type)
        case remark(String)
    }

    /// A modifier of a service; a label doesn't take part in handling actions.
    enum Modifier: Sendable {
        case interceptor(Interceptor)
        case transform(ErrorTransform)
        case label(Label)
    }

    enum Content: Sendable {
        case handler(any AnyActionHandler)
        case list([ServiceNode], Strategy)
        case modified(ServiceNode, Modifier)
    }

    let content: Content

    /// The action types that the node handles by name, with the positions of the children of a list that handle them.
    ///
    /// Children that handle all action types are in ``wildcards`` instead, so that making a list of *n* services takes *n* steps.
    private let positions: [ObjectIdentifier: [Int]]

    /// The positions of the children of a list that handle all action types.
    private let wildcards: [Int]

    /// Whether something in the node handles all action types.
    private let wantsAll: Bool

    init(_ content: Content) {
        var positions: [ObjectIdentifier: [Int]] = [:]
        var wildcards: [Int] = []
        var wantsAll = false
        switch content {
        case .handler(let handler):
            positions[ObjectIdentifier(handler.actionType)] = []
        case .list(let nodes, _):
            for (position, node) in nodes.enumerated() {
                if node.wantsAll {
                    wildcards.append(position)
                } else {
                    for type in node.positions.keys { positions[type, default: []].append(position) }
                }
            }
            wantsAll = !wildcards.isEmpty
        case .modified(let node, let modifier):
            (positions, wantsAll) = (node.positions, node.wantsAll)
            if case .interceptor(let interceptor) = modifier {
                if let type = interceptor.actionType {
                    positions[ObjectIdentifier(type), default: []] += []
                } else {
                    wantsAll = true
                }
            }
        }
        self.content = content
        self.positions = positions
        self.wildcards = wildcards
        self.wantsAll = wantsAll
    }

    convenience init(_ node: ServiceNode, labelled label: Label) {
        self.init(.modified(node, .label(label)))
    }

    /// A node that handles nothing, in place of a service with a problem.
    static let empty = ServiceNode(.list([], .serial))

    /// Whether something in the node handles actions of this type.
    func wants(_ action: any Action.Type) -> Bool {
        wantsAll || positions[ObjectIdentifier(action)] != nil
    }

    /// Returns the positions of the children of a list that handle actions of the type, in their order.
    ///
    /// - Complexity: O(*k* log *k*) for *k* such children, regardless of the number of other children.
    func positions(wanting type: any Action.Type) -> [Int] {
        let named = positions[ObjectIdentifier(type)] ?? []
        return wildcards.isEmpty ? named : (named + wildcards).sorted()
    }

    /// Passes an action to the services that handle its type.
    ///
    /// As long as there is one way, it walks in a loop: a call for each node would take most of the time of a send.
    ///
    /// - Throws: The error of a handler, or ``CollectedFailures``.
    nonisolated(nonsending) func run<A: Action>(_ action: A, _ frame: SendFrame) async throws {
        var node = self
        while true {
            switch node.content {
            case .handler(let handler):
                guard let handler = handler as? ActionHandler<A> else { return }
                return try await handler.run(action, frame)
            case .list(let nodes, _) where nodes.count == 1:
                node = nodes[0]
            case .list(let nodes, let strategy):
                let positions = node.positions(wanting: A.self)
                if positions.count == 1 {
                    node = nodes[positions[0]]
                } else if strategy == .concurrent {
                    return try await Self.runConcurrently(positions.map { nodes[$0] }, action, frame)
                } else {
                    return try await Self.runInOrder(positions.map { nodes[$0] }, action, frame)
                }
            case .modified(let inner, .label):
                node = inner
            case .modified(let inner, .interceptor(let interceptor)):
                return try await interceptor.run(action, frame, around: inner)
            case .modified(let inner, .transform(let transform)):
                do {
                    return try await inner.run(action, frame)
                } catch {
                    return try await transform.apply(to: error, frame)
                }
            }
        }
    }

    /// Passes an action to one service after the other, until one fails.
    private static nonisolated(nonsending) func runInOrder(
        _ nodes: [ServiceNode],
        _ action: some Action,
        _ frame: SendFrame
    ) async throws {
        for index in nodes.indices {
            if index > 0, Task.isCancelled { throw CancellationError() }
            try await nodes[index].run(action, frame)
        }
    }

    /// Passes an action to several services at the same time, and collects their errors.
    private static nonisolated(nonsending) func runConcurrently(
        _ nodes: [ServiceNode],
        _ action: some Action,
        _ frame: SendFrame
    ) async throws {
        let failures = FailureList()
        await withDiscardingTaskGroup { group in
            for (index, node) in nodes.enumerated() {
                group.addTask {
                    do {
                        try await node.run(action, frame)
                    } catch {
                        failures.errors.withLock { $0.append((index, error)) }
                    }
                }
            }
        }
        let errors = failures.errors.withLock { $0 }.sorted { $0.index < $1.index }.map(\.error)
        if !errors.isEmpty { throw CollectedFailures(errors) }
    }
}

/// The errors of services that run concurrently, with the positions of the services.
private final class FailureList: Sendable {
    let errors = Mutex<[(index: Int, error: any Error)]>([])
}

/// An ``ActionHandler`` of any action type.
protocol AnyActionHandler: AnyObject, Sendable {
    var actionType: any Action.Type { get }
}

/// A store's reaction to actions of one type.
final class ActionHandler<A: Action>: AnyActionHandler {
    typealias Operation = nonisolated(nonsending) @Sendable (A, Send) async throws -> Void

    private let site: ServiceSite
    private let operation: Operation

    /// Creates a handler that runs `operation` at this position in the tree.
    init(at site: ServiceSite, _ operation: @escaping Operation) {
        self.site = site
        self.operation = operation
    }

    var actionType: any Action.Type { A.self }

    nonisolated(nonsending) func run(_ action: A, _ frame: SendFrame) async throws {
        let send = site.send.within(frame)
        if site.bindings.isEmpty { return try await operation(action, send) }
        try await site.scoped(frame) { try await operation(action, send) }
    }
}

typealias BootstrapHandler = @MainActor @Sendable () async throws -> Void

/// The position in the tree at which a handler was written: where its actions go, and its environment.
struct ServiceSite: Sendable {
    let send: Send
    let bindings: EnvironmentBindings

    /// Runs `operation` in the environment of this position.
    nonisolated(nonsending) func scoped(
        _ frame: SendFrame,
        _ operation: nonisolated(nonsending) () async throws -> Void
    ) async throws {
        if bindings.isEmpty { return try await operation() }
        try await CurrentEnvironment.$current.binding(CurrentEnvironment(bindings: bindings, frame: frame), operation)
    }

    /// Returns a bootstrap handler that runs `handler` in the environment of this position.
    func bootstrap(_ handler: @escaping BootstrapHandler) -> BootstrapHandler {
        if bindings.isEmpty { return handler }
        let environment = CurrentEnvironment(bindings: bindings, frame: nil)
        return { try await CurrentEnvironment.$current.binding(environment) { try await handler() } }
    }
}
