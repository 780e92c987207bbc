// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
import Synchronization

/// The change of a property of a state.
public struct StateChange: Hashable, Sendable, CustomStringConvertible {
    /// Path of the property, such as `address.street`; `state` if the state has no properties.
    public let property: String

    /// The old value as text; `nil` if the property didn't exist.
    public let old: String?

    /// The new value as text; `nil` if the property no longer exists.
    public let new: String?

    /// The property with its old and its new value, in one line.
    public var description: String { "\(property): \(old ?? "nothing") → \(new ?? "nothing")" }
}

/// An action that was reduced, with its changes.
public struct Reduction<Action: Sendable>: Sendable, CustomStringConvertible {
    /// The action that was reduced.
    public let action: Action

    /// The properties that the action has changed; empty if it has changed nothing.
    public let changes: [StateChange]

    /// The action, followed by a line for each change.
    public var description: String {
        (["\(action)"] + changes.map { "  \($0)" }).joined(separator: "\n")
    }
}

/// A message observer that also receives the changes of a station's state.
///
/// To find the changes, the station reads each property before and after each action. A station without such an observer
/// avoids this cost.
public protocol StateObserver: MessageObserver {
    /// Called after an action has changed the state, on the actor of the station.
    ///
    /// - Parameters:
    ///   - changes: The changed properties; not empty.
    ///   - context: The context of the action.
    func stateChanged(_ changes: [StateChange], in context: MessageContext)
}

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

    /// Does nothing, because the action itself arrives by the other method.
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

/// The properties of a state at one time, for comparison with a later snapshot.
///
/// It reads the properties by reflection, so the station makes snapshots only while there are observers. It descends
/// into structs and objects. Other values are compared as a whole: by `==` if they are `Equatable`, otherwise as text.
struct StateSnapshot {
    private struct PropertyValue {
        let value: (any Equatable)?
        let text: String

        func differs(from other: PropertyValue) -> Bool {
            guard let value, let otherValue = other.value else { return text != other.text }
            return !value.isEqual(to: otherValue)
        }
    }

    private var names: [String] = []
    private var values: [String: PropertyValue] = [:]

    /// A snapshot without properties.
    init() {}

    init(of state: Any) {
        var path: Set<ObjectIdentifier> = []
        add(state, name: "", path: &path)
    }

    /// The changes between this snapshot and `later`, in the order of the properties.
    func changes(to later: StateSnapshot) -> [StateChange] {
        let gone = names.filter { later.values[$0] == nil }
        return (later.names + gone).compactMap { name in
            let (old, new) = (values[name], later.values[name])
            if let old, let new, !old.differs(from: new) { return nil }
            return StateChange(property: name, old: old?.text, new: new?.text)
        }
    }

    private mutating func add(_ value: Any, name: String, path: inout Set<ObjectIdentifier>) {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional:
            if let wrapped = mirror.children.first {
                add(wrapped.value, name: name, path: &path)
            } else {
                addValue(value, name: name)
            }
        case .struct where !mirror.children.isEmpty:
            addChildren(of: mirror, name: name, path: &path)
        case .class:
            let id = ObjectIdentifier(value as AnyObject)
            guard path.insert(id).inserted else { return }
            addChildren(of: mirror, name: name, path: &path)
            path.remove(id)
        default:
            addValue(value, name: name)
        }
    }

    private mutating func addChildren(of mirror: Mirror, name: String, path: inout Set<ObjectIdentifier>) {
        if let superclass = mirror.superclassMirror { addChildren(of: superclass, name: name, path: &path) }
        for (label, value) in mirror.children {
            guard let label = Self.property(label) else { continue }
            add(value, name: name.isEmpty ? label : "\(name).\(label)", path: &path)
        }
    }

    private mutating func addValue(_ value: Any, name: String) {
        let name = name.isEmpty ? "state" : name
        names.append(name)
        values[name] = PropertyValue(
            value: value as? any Equatable,
            text: String(reflecting: value).withoutTypeAddresses
        )
    }

    /// Returns the name of the property that is stored as `label`; `nil` for storage that a macro has added.
    ///
    /// Observation stores the property `count` as `_count`, and adds a registrar.
    private static func property(_ label: String?) -> String? {
        guard let label, !label.hasPrefix("_$") else { return nil }
        return label.hasPrefix("_") ? String(label.dropFirst()) : label
    }
}

extension Equatable {
    fileprivate func isEqual(to other: any Equatable) -> Bool {
        (other as? Self) == self
    }
}
