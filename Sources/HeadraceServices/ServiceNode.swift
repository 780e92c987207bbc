// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

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
        case handler(ActionHandler)
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
    func positions(wanting type: ObjectIdentifier) -> [Int] {
        let named = positions[type] ?? []
        return wildcards.isEmpty ? named : (named + wildcards).sorted()
    }

    /// Passes an action to the services that handle its type.
    ///
    /// - Throws: The error of a handler, or ``CollectedFailures``.
    nonisolated(nonsending) func run(_ sent: SentAction) async throws {
        switch content {
        case .handler(let handler):
            try await handler.run(sent)
        case .list(let nodes, let strategy):
            let positions = positions(wanting: sent.type)
            if strategy == .concurrent, positions.count > 1 {
                return try await Self.runConcurrently(positions.map { nodes[$0] }, sent)
            }
            for position in positions {
                if position != positions[0], Task.isCancelled { throw CancellationError() }
                try await nodes[position].run(sent)
            }
        case .modified(let node, .interceptor(let interceptor)):
            try await interceptor.run(sent, around: node)
        case .modified(let node, .transform(let transform)):
            do {
                try await node.run(sent)
            } catch {
                try await transform.apply(to: error, sent.frame)
            }
        case .modified(let node, .label):
            try await node.run(sent)
        }
    }

    /// Passes an action to several services at the same time, and collects their errors.
    private static nonisolated(nonsending) func runConcurrently(
        _ nodes: [ServiceNode],
        _ sent: SentAction
    ) async throws {
        let errors = await withTaskGroup(of: (index: Int, error: any Error)?.self) { group in
            for (index, node) in nodes.enumerated() {
                group.addTask {
                    do {
                        try await node.run(sent)
                        return nil
                    } catch {
                        return (index, error)
                    }
                }
            }
            return await group.reduce(into: [(index: Int, error: any Error)]()) { errors, failure in
                if let failure { errors.append(failure) }
            }
        }
        if !errors.isEmpty { throw CollectedFailures(errors.sorted { $0.index < $1.index }.map(\.error)) }
    }
}

/// A store's reaction to actions of one type.
struct ActionHandler: Sendable {
    let actionType: any Action.Type
    let run: nonisolated(nonsending) @Sendable (SentAction) async throws -> Void

    /// Creates a handler that runs `operation` at this position in the tree.
    init<A: Action>(
        at site: ServiceSite,
        _ operation: nonisolated(nonsending) @escaping @Sendable (A, Send) async throws -> Void
    ) {
        actionType = A.self
        run = { sent in
            guard let action = sent.action as? A else { return }
            try await site.scoped(sent.frame) { try await operation(action, site.send.within(sent.frame)) }
        }
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
