// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceJSON
import HeadraceProcesses
import HeadraceRelay
import HeadraceStorage
import HeadraceWorkflows

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
    /// Its type is always shown. The page folds a text that is JSON.
    public var message: @Sendable (_ message: any Sendable) -> String? = { _ in nil }

    /// Content of a stored event or command, or content of a workflow.
    ///
    /// Its name is always shown. The input and the result of a workflow have the name of the workflow. The result of a step has the name
    /// of the workflow, a slash, and the name of the step, such as `fulfilment/take-payment`.
    public var storedMessage: @Sendable (_ name: String, _ json: Data) -> String? = { _, _ in nil }

    /// Value of a property of a station's state.
    ///
    /// The name of the property is always shown.
    public var property: @Sendable (_ station: String, _ property: String, _ value: String) -> String? = { _, _, _ in
        nil
    }

    /// Text of an error, or the reason of a dead letter or a blocked workflow.
    ///
    /// The code of the error is always shown.
    public var failure: @Sendable (_ text: String) -> String? = { _ in nil }

    /// Identifier of an entity, a workflow, or a principal, key of a durable process, or name of a circuit.
    ///
    /// The kind is always shown: the kind of the entity, the name of the process or the workflow, `principal`, or `circuit`.
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
    /// - a message, an event, or an action: its JSON if it is `Encodable`, or else its properties; and the stored JSON of a durable event
    ///   or command;
    /// - the state of a station: the values of its properties;
    /// - an error: its text, except as the reason of a dead letter or of a workflow, because only the text is stored;
    /// - an entity or a durable process: its identifier, and the name of its event stream;
    /// - a principal: its identifier. Deliveries and workflows have only the identifier, so the list has no effect on them;
    /// - a durable workflow: its identifier and its input, and its result if the type of the result is in the list, too.
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
        redaction.message = { Self.content(of: $0) }
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
        shownTypes.containsType(of: message) ? Self.content(of: message) : nil
    }

    /// The JSON of a message that is encodable, or else the description of the message.
    private static func content(of message: any Sendable) -> String {
        let json = (message as? any Encodable).flatMap { try? JSONDocumentEncoder.encode($0) }
        return json.map { String(decoding: $0, as: UTF8.self) } ?? String(reflecting: message).withoutTypeAddresses
    }

    /// The content of a stored event or command; `nil` if it is hidden.
    func text(ofStored name: String, _ json: Data) -> String? {
        if let text = storedMessage(name, json) { return text }
        return shownTypes.containsMessage(named: name) ? String(decoding: json, as: UTF8.self) : nil
    }

    /// The input of an instance of `workflow`; `nil` if it is hidden.
    func text(ofInput json: Data, of workflow: String) -> String? {
        if let text = storedMessage(workflow, json) { return text }
        return shownTypes.outputs[workflow] == nil ? nil : String(decoding: json, as: UTF8.self)
    }

    /// The result of an instance of `workflow`; `nil` if it is hidden.
    func text(ofOutput json: Data, of workflow: String) -> String? {
        if let text = storedMessage(workflow, json) { return text }
        return shownTypes.containsOutput(of: workflow) ? String(decoding: json, as: UTF8.self) : nil
    }

    /// The result of a step, whose type is unknown; `nil` if it is hidden.
    func text(ofResult json: Data, of step: String, in workflow: String) -> String? {
        storedMessage("\(workflow)/\(step)", json)
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

    /// The identifier of `principal`; `nil` if it is hidden.
    func text(of principal: any Principal) -> String? {
        let id = principal.principalID
        return identifier("principal", id) ?? (shownTypes.containsType(of: principal) ? id : nil)
    }

    /// The key of an entity, a process, or a circuit; `nil` if it is hidden.
    func text(ofKey key: String, of owner: String) -> String? {
        identifier(owner, key) ?? (shownTypes.containsOwner(named: owner) ? key : nil)
    }
}

/// The types whose content is shown, with the names under which their values are stored.
struct ShownTypes: Sendable {
    private var types: Set<ObjectIdentifier> = []

    /// Stored names of events and commands.
    private var messageNames: Set<String> = []

    /// Names of the entities, processes, and workflows with shown identifiers.
    private var ownerNames: Set<String> = []

    /// Types of the results, by the names of the workflows.
    private(set) var outputs: [String: ObjectIdentifier] = [:]

    /// Adds `type`.
    mutating func insert<Shown>(_ type: Shown.Type) {
        types.insert(ObjectIdentifier(type))
        if let event = type as? any DurableDomainEvent.Type { messageNames.insert(event.eventName) }
        if let command = type as? any DurableCommand.Type { messageNames.insert(command.commandName) }
        if let entity = type as? any StoredEntity.Type { ownerNames.insert(entity.entityName) }
        if let process = type as? any DurableProcess.Type { ownerNames.insert(process.processName) }
        if let workflow = type as? any DurableWorkflow.Type { insert(workflow: workflow) }
    }

    private mutating func insert<Workflow: DurableWorkflow>(workflow: Workflow.Type) {
        ownerNames.insert(Workflow.workflowName)
        outputs[Workflow.workflowName] = ObjectIdentifier(Workflow.Output.self)
    }

    /// Whether the type of the results of `workflow` is in the list.
    func containsOutput(of workflow: String) -> Bool { outputs[workflow].map { types.contains($0) } ?? false }

    func contains(_ type: Any.Type) -> Bool { types.contains(ObjectIdentifier(type)) }

    func containsMessage(named name: String) -> Bool { messageNames.contains(name) }

    func containsOwner(named name: String) -> Bool { ownerNames.contains(name) }

    /// Whether the dynamic type of `value` is in the list.
    func containsType(of value: Any) -> Bool { !types.isEmpty && contains(type(of: value)) }
}

/// The kinds of content that the redaction has hidden in a view, each named after the rule that shows it.
///
/// Its JSON is the array of the names.
struct HiddenContent: OptionSet, Sendable, Hashable, Codable {
    let rawValue: UInt8

    static let message = HiddenContent(rawValue: 1)
    static let storedMessage = HiddenContent(rawValue: 2)
    static let property = HiddenContent(rawValue: 4)
    static let failure = HiddenContent(rawValue: 8)
    static let identifier = HiddenContent(rawValue: 16)

    private static let hintsByKind: [(kind: HiddenContent, name: String, hint: String)] = [
        (
            .message, "message",
            "The content of a message is hidden unless its type is in the list of shown types. To show it, pass the type "
                + "to 'InspectorConfiguration(showing:)', or set 'Redaction.message'."
        ),
        (
            .storedMessage, "storedMessage",
            "The content of a stored message or of a workflow is hidden unless its type is in the list of shown types. To show "
                + "it, pass the type to 'InspectorConfiguration(showing:)', or set 'Redaction.storedMessage'."
        ),
        (
            .property, "property",
            "The values of a state are hidden unless its type is in the list of shown types. To show them, pass the type of "
                + "the state to 'InspectorConfiguration(showing:)', or set 'Redaction.property'."
        ),
        (
            .failure, "failure",
            "The text of an error is hidden unless its type is in the list of shown types. To show it, pass the type to "
                + "'InspectorConfiguration(showing:)', or set 'Redaction.failure'. The list has no effect on the reason "
                + "of a dead letter or of a workflow, because only its text is stored."
        ),
        (
            .identifier, "identifier",
            "An identifier is hidden unless the type of its entity, process, workflow, or principal is in the list of shown types. To "
                + "show it, pass the type to 'InspectorConfiguration(showing:)', or set 'Redaction.identifier'."
        ),
    ]

    /// For each kind, the reason why it is hidden, and how to show it.
    static let hints = Dictionary(uniqueKeysWithValues: hintsByKind.map { ($0.name, $0.hint) })

    /// The hints for the kinds that occur in `views`; `nil` if there are none.
    static func hints(of views: some Sequence<HiddenContent>) -> [String: String]? {
        let all = views.reduce(HiddenContent()) { $0.union($1) }
        return all.names.map { names in hints.filter { names.contains($0.key) } }
    }

    /// The kinds as words, and `nil` if there are none.
    var names: [String]? {
        isEmpty ? nil : Self.hintsByKind.filter { contains($0.kind) }.map(\.name)
    }

    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    init(from decoder: any Decoder) throws {
        let names = try [String](from: decoder)
        self = Self.hintsByKind.filter { names.contains($0.name) }.reduce(into: HiddenContent()) { $0.insert($1.kind) }
    }

    func encode(to encoder: any Encoder) throws {
        try (names ?? []).encode(to: encoder)
    }
}
