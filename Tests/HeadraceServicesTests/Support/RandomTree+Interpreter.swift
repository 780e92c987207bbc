// SPDX-License-Identifier: Apache-2.0

/// Predicts the visits and errors of a tree with a direct implementation of the rules.
struct TreeInterpreter {
    /// The visits, and the required order among them.
    indirect enum Trace {
        case visit(String)
        case inOrder([Trace])
        case inAnyOrder([Trace])
    }

    struct Raised {
        var name: String

        /// Whether the error was transformed before.
        var isFinal = false
    }

    enum Message {
        case ping
        case pong(sender: Int)
        case recovery(from: String)

        var name: String {
            switch self {
            case .ping: "ping"
            case .pong(let sender): "pong of \(sender)"
            case .recovery(let error): "recovery from <\(error)>"
            }
        }

        var kind: RandomTree.Kind {
            switch self {
            case .ping: .ping
            case .pong: .pong
            case .recovery: .recovery
            }
        }
    }

    let root: RandomTree

    /// Returns the visits of a send, and the errors that the sender receives.
    func send(_ message: Message, isTransformed: Bool = false) -> (trace: Trace, errors: [String]) {
        let (trace, raised) = run(root, message, isSerial: false, isTransformed: isTransformed)
        return (trace, raised.map(\.name))
    }

    /// The name of several errors that are thrown together.
    static func name(_ errors: [String]) -> String {
        errors.count == 1 ? errors[0] : "[\(errors.joined(separator: ", "))]"
    }

    private func run(
        _ tree: RandomTree,
        _ message: Message,
        isSerial: Bool,
        isTransformed: Bool
    ) -> (Trace, [Raised]) {
        switch tree {
        case .leaf(let leaf):
            guard leaf.kind == message.kind else { return (.inOrder([]), []) }
            let name = "\(leaf.id) at \(message.name)"
            var trace = [Trace.visit(name)]
            if leaf.sends {
                let (inner, errors) = send(.pong(sender: leaf.id), isTransformed: isTransformed)
                trace.append(inner)
                if !errors.isEmpty { return (.inOrder(trace), [Raised(name: Self.name(errors))]) }
            }
            return (.inOrder(trace), leaf.fails ? [Raised(name: name)] : [])

        case .group(let children, let ownIsSerial):
            let isSerial = ownIsSerial ?? isSerial
            var traces: [Trace] = []
            var raised: [Raised] = []
            for child in children {
                let (trace, errors) = run(child, message, isSerial: isSerial, isTransformed: isTransformed)
                traces.append(trace)
                raised += errors
                if isSerial, !raised.isEmpty { break }
            }
            return (isSerial ? .inOrder(traces) : .inAnyOrder(traces), raised)

        case .hook(let around, let id, let isForPingsOnly, let fails, let inner):
            if isForPingsOnly, message.kind != .ping {
                return run(inner, message, isSerial: isSerial, isTransformed: isTransformed)
            }
            let name = "\(around) \(id) at \(message.name)"
            let own = fails ? [Raised(name: name)] : []
            if around == .pre, fails { return (.visit(name), own) }
            let (trace, raised) = run(inner, message, isSerial: isSerial, isTransformed: isTransformed)
            return (.inOrder(around == .pre ? [.visit(name), trace] : [trace, .visit(name)]), raised + own)

        case .transform(let id, let transformation, let inner):
            var (trace, raised) = run(inner, message, isSerial: isSerial, isTransformed: isTransformed)
            if isTransformed { return (trace, raised) }
            var left: [Raised] = []
            for error in raised {
                if error.isFinal || transformation == .nothing {
                    left.append(error)
                } else if transformation == .failure {
                    left.append(Raised(name: "\(id) made of <\(error.name)>", isFinal: true))
                } else {
                    let (inner, errors) = send(.recovery(from: error.name), isTransformed: true)
                    trace = .inOrder([trace, inner])
                    if !errors.isEmpty { left.append(Raised(name: Self.name(errors), isFinal: true)) }
                }
            }
            raised = left
            return (trace, raised)
        }
    }
}

extension TreeInterpreter.Trace {
    /// All visits.
    var visits: [String] {
        switch self {
        case .visit(let name): [name]
        case .inOrder(let traces), .inAnyOrder(let traces): traces.flatMap(\.visits)
        }
    }

    /// The first two visits in the wrong order, or `nil` if the order is allowed.
    func contradiction(to order: [String: Int]) -> (String, String)? {
        switch self {
        case .visit: return nil
        case .inAnyOrder(let traces): return traces.lazy.compactMap { $0.contradiction(to: order) }.first
        case .inOrder(let traces):
            if let inner = traces.lazy.compactMap({ $0.contradiction(to: order) }).first { return inner }
            var latest: (name: String, position: Int)?
            for visits in traces.map(\.visits) where !visits.isEmpty {
                let positions = visits.map { (name: $0, position: order[$0] ?? 0) }
                if let latest, let early = positions.min(by: { $0.position < $1.position }),
                    early.position < latest.position
                {
                    return (latest.name, early.name)
                }
                latest = positions.max { $0.position < $1.position }
            }
            return nil
        }
    }
}
