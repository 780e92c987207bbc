// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HeadraceCore

/// Rules for showing the content of messages, states, and failures in an inspector.
///
/// ```swift
/// let redaction = Redaction(showing: ReserveSeat.self, SeatReserved.self)
/// ```
///
/// Content is shown if its type is in the list of shown types, or if a rule returns a text for it:
///
/// ```swift
/// var redaction = Redaction.typesOnly
/// redaction.message = { message in (message as? PostTransaction).map { "\($0.postings.count) postings" } }
/// redaction.failure = { $0 }
/// ```
///
/// Each rule returns the text to show, or `nil` to leave the decision to the list. All other content is hidden, and a hidden
/// value says so. The rules run in the tasks that handle messages, so keep them fast.
public struct Redaction: Sendable {
    /// Content of a message, an event, or an action.
    ///
    /// Its type is always shown.
    public var message: @Sendable (_ message: any Sendable) -> String? = { _ in nil }

    /// Content of a stored event or command.
    ///
    /// Its name is always shown.
    public var storedMessage: @Sendable (_ name: String, _ json: Data) -> String? = { _, _ in nil }

    /// Value of a property of a station's state.
    ///
    /// The name of the property is always shown.
    public var property: @Sendable (_ station: String, _ property: String, _ value: String) -> String? = { _, _, _ in
        nil
    }

    /// Text of an error, or the reason of a dead letter.
    ///
    /// The code of the error is always shown.
    public var failure: @Sendable (_ text: String) -> String? = { _ in nil }

    /// Identifier of an entity, key of a durable process, or name of a circuit.
    ///
    /// The kind is always shown: the kind of the entity, the name of the process, or `circuit`.
    public var identifier: @Sendable (_ kind: String, _ key: String) -> String? = { _, _ in nil }

    private var shownTypes = ShownTypes()

    private init() {}

    /// Shows all content of these types, and hides all other content.
    ///
    /// See ``show(_:_:)`` for the types that can be in the list.
    public init<First, each Other>(showing first: First.Type, _ others: repeat (each Other).Type) {
        show(first, repeat each others)
    }

    /// Adds types to the list of shown types.
    ///
    /// The content of a value is shown if its type is one of these:
    ///
    /// - a message, an event, or an action: its properties, and the stored JSON of a durable event or command;
    /// - the state of a station: the values of its properties;
    /// - an error: its text, except as the reason of a dead letter, because only the text is stored;
    /// - an entity or a durable process: its identifier, and the name of its event stream.
    ///
    /// A rule that returns a text for a value has priority over the list.
    public mutating func show<First, each Other>(_ first: First.Type, _ others: repeat (each Other).Type) {
        shownTypes.insert(first)
        repeat shownTypes.insert(each others)
    }

    /// Shows types, names, and codes; hides all content.
    public static let typesOnly = Redaction()

    /// Shows all content.
    ///
    /// Use it in development only, with data that isn't confidential.
    public static let disabled: Redaction = {
        var redaction = Redaction()
        redaction.message = { String(reflecting: $0).withoutTypeAddresses }
        redaction.storedMessage = { _, json in String(decoding: json, as: UTF8.self) }
        redaction.property = { _, _, value in value }
        redaction.failure = { $0 }
        redaction.identifier = { _, key in key }
        return redaction
    }()
}

extension Redaction {
    /// Whether the type of `value` is in the list of shown types.
    func lists(_ value: Any) -> Bool { shownTypes.containsType(of: value) }

    /// Whether `type` is in the list of shown types.
    func lists(type: Any.Type) -> Bool { shownTypes.contains(type) }

    /// The text of a message, an event, or an action; `nil` if it is hidden.
    func text<Message: Sendable>(of message: Message) -> String? {
        self.message(message) ?? textOfListed(message)
    }

    /// The text of a message, an event, or an action by the list of shown types alone; `nil` if its type isn't in the list.
    func textOfListed<Message: Sendable>(_ message: Message) -> String? {
        shownTypes.containsType(of: message) ? String(reflecting: message).withoutTypeAddresses : nil
    }

    /// The content of a stored event or command; `nil` if it is hidden.
    func text(ofStored name: String, _ json: Data) -> String? {
        if let text = storedMessage(name, json) { return text }
        return shownTypes.containsMessage(named: name) ? String(decoding: json, as: UTF8.self) : nil
    }

    /// The value of a property of a state of the type `state`; `nil` if it is hidden.
    func text(of value: String, of property: String, in station: String, _ state: Any.Type) -> String? {
        self.property(station, property, value) ?? (shownTypes.contains(state) ? value : nil)
    }

    /// The text of `error`; `nil` if it is hidden.
    func text(of error: any Error) -> String? {
        let text = "\(error)"
        return failure(text) ?? (shownTypes.containsType(of: error) ? text : nil)
    }

    /// The key of an entity, a process, or a circuit; `nil` if it is hidden.
    func text(ofKey key: String, of owner: String) -> String? {
        identifier(owner, key) ?? (shownTypes.containsOwner(named: owner) ? key : nil)
    }
}
