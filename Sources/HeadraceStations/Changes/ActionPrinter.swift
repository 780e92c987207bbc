// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
import Synchronization

/// An observer that prints each action of a station, and the properties that it has changed.
///
/// ```swift
/// let station = Station(initialState: Counter.State(), observers: [ActionPrinter()]) { Counter() }
/// station.pour(.increase)
/// // increase
/// //   count: 0 → 1
/// ```
///
/// It is a tool for development: it shows all content of actions and states, and the station reads each property before
/// and after each action. Several stations can share a printer.
public final class ActionPrinter: StateObserver {
    private let output: @Sendable (String) -> Void

    /// The lines of the actions that are being reduced.
    private let lines = Mutex<[(context: MessageContext, text: [String])]>([])

    /// Creates a printer.
    ///
    /// - Parameter output: Receives the text of each action, without a line break at its end. It is called on the actor
    ///   of the station. The default prints to the standard output.
    public init(to output: @escaping @Sendable (_ text: String) -> Void = { print($0) }) {
        self.output = output
    }

    /// Does nothing.
    public func messageBegan(_ context: MessageContext) {}

    /// Notes an action.
    public func messageBegan<Message: Sendable>(_ message: Message, in context: MessageContext) {
        guard context.kind == .action else { return }
        lines.withLock { $0.append((context, ["\(message)"])) }
    }

    /// Notes the changes of an action.
    public func stateChanged(_ changes: [StateChange], in context: MessageContext) {
        lines.withLock { lines in
            guard let index = lines.lastIndex(where: { $0.context.isSame(as: context) }) else { return }
            lines[index].text += changes.map { "  \($0)" }
        }
    }

    /// Prints an action and its changes, or the reason why it was refused.
    public func messageEnded(_ context: MessageContext, outcome: MessageOutcome, after duration: Duration) {
        let text = lines.withLock { lines -> [String]? in
            guard let index = lines.lastIndex(where: { $0.context.isSame(as: context) }) else { return nil }
            return lines.remove(at: index).text
        }
        guard var text else { return }
        if case .failure(let error) = outcome {
            text.append("  \(error)")
        } else if text.count == 1 {
            text.append("  no changes")
        }
        output(text.joined(separator: "\n"))
    }
}
