// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HeadraceCore
public import HeadraceProjections
public import HeadraceRelay
public import HeadraceResilience
public import HeadraceResolution
public import HeadraceServices
public import HeadraceStations
public import HeadraceStorage
import Synchronization

/// Records the messages, stations, and deliveries of a running application for a web page.
///
/// ```swift
/// let inspector = Inspector()
/// builder.commandQueryDispatch().standard(commandHandlers: handlers, observers: [inspector.observer])
/// let registrar = DomainEventHandlerRegistrar(resolver: container, observers: [inspector.observer])
/// inspector.show(container.graph)
/// inspector.show(store)
/// let server = InspectorServer(inspector)
/// ```
///
/// Its memory is limited by an ``InspectorConfiguration``, and it records only while a page or another client uses it. An
/// unused inspector costs one call of ``InspectorObserver/isListening`` for each message. The ``Redaction`` decides which
/// content is shown; by default, only types are.
///
/// An `InspectorServer` of HeadraceHummingbird serves the page on this machine. ``InspectorRoutes`` serve it from your own HTTP server.
public final class Inspector: Sendable {
    private struct State {
        var graphs: [GraphView] = []
        var stations: [InspectedStation] = []
        var stores: [InspectedStore] = []
        var breakers: [CircuitBreakerMiddleware] = []
        var projections: [Projections] = []
        var relays: [Relay] = []
    }

    let recorder: FlowRecorder

    /// Distinguishes this inspector from all others.
    ///
    /// It isn't secret.
    let session = UUID().uuidString

    private let state = Mutex(State())

    /// Creates an inspector.
    ///
    /// - Parameters:
    ///   - configuration: Limits on its memory, and the rules for showing content.
    ///   - history: The files that keep the flow beyond the end of the process; `nil` for none. Run it beside the server.
    ///   - clock: Measures the time since the last request.
    ///   - wallClock: Returns the time for display.
    public init(
        configuration: InspectorConfiguration = InspectorConfiguration(),
        history: InspectorHistory? = nil,
        clock: any TimeSource = ContinuousClock(),
        wallClock: @escaping @Sendable () -> Date = { Date() }
    ) {
        recorder = FlowRecorder(
            configuration: configuration,
            restored: history?.takeRestored() ?? [],
            history: history?.status,
            clock: clock,
            wallClock: wallClock
        )
        history?.follow(recorder)
    }

    /// The observer to pass to dispatchers, pipelines, clusters, stations, registrars, and relays.
    public var observer: InspectorObserver { InspectorObserver(recorder) }

    /// Shows the dependencies of a container.
    ///
    /// Replaces a graph of the same name.
    public func show(_ graph: DependencyGraph, named name: String = "Dependencies") {
        show(GraphView(graph, name: name))
    }

    /// Shows a tree of services.
    ///
    /// Replaces a graph of the same name.
    public func show(_ graph: ServiceGraph, named name: String = "Services") {
        show(GraphView(graph, name: name))
    }

    /// Shows the events, deliveries, and dead letters of `store`.
    ///
    /// Replaces a store of the same name.
    public func show(_ store: any DeliveryStore, named name: String = "Store") {
        state.withLock { state in
            state.stores.removeAll { $0.name == name }
            state.stores.append(InspectedStore(name: name, store: store))
        }
    }

    /// Shows the versions of `projections`, their progress, and their lag.
    public func show(_ projections: Projections) {
        state.withLock { $0.projections.append(projections) }
    }

    /// Lets the page replay the subscriptions of `relay`, whose events the relay knows, and check corrected dead letters by their
    /// types.
    ///
    /// Show the store of the relay, too.
    public func show(_ relay: Relay) {
        state.withLock { $0.relays.append(relay) }
    }

    /// Shows the states of the circuits of `breaker`.
    public func show(_ breaker: CircuitBreakerMiddleware) {
        state.withLock { $0.breakers.append(breaker) }
    }

    /// Shows the changes of `station`, which it doesn't keep alive.
    ///
    /// Replaces a station of the same name.
    ///
    /// The changes are recorded while the inspector is in use. After a pause, a new history begins.
    ///
    /// If the state and the action are `Codable` and in the list of shown types, the page can download the history as a journal,
    /// and import it again: it reduces the actions of the journal on a copy of the state, without effects.
    ///
    /// ```swift
    /// inspector.show(station, named: "Counter", restoring: { .restored($0) })
    /// ```
    ///
    /// - Parameters:
    ///   - station: The station.
    ///   - name: The name on the page.
    ///   - makeAction: Returns the action that sets the station to a state. An operator can pour it for each state of an
    ///     imported journal, if the page may write. Without it, the station can't be changed.
    public func show<State, Action>(
        _ station: Station<State, Action>,
        named name: String,
        restoring makeAction: (@Sendable (_ state: State) -> Action)? = nil
    ) {
        let history = makeHistory(name, of: State.self, Action.self, canRestore: makeAction != nil)
        show(InspectedStation(station, history: history, restoring: makeAction, recorder: recorder))
    }

    /// Shows the changes of `station`, which it doesn't keep alive.
    ///
    /// The parameters are those of the method for a `Station`.
    public func show<State, Action>(
        _ station: ActorStation<State, Action>,
        named name: String,
        restoring makeAction: (@Sendable (_ state: State) -> Action)? = nil
    ) {
        let history = makeHistory(name, of: State.self, Action.self, canRestore: makeAction != nil)
        show(InspectedStation(station, history: history, restoring: makeAction, recorder: recorder))
    }

    private func makeHistory(
        _ name: String, of state: Any.Type, _ action: Any.Type, canRestore: Bool
    ) -> StationHistory {
        StationHistory(name: name, of: state, action, canRestore: canRestore, configuration: recorder.configuration)
    }

    private func show(_ graph: GraphView) {
        state.withLock { state in
            state.graphs.removeAll { $0.name == graph.name }
            state.graphs.append(graph)
        }
    }

    private func show(_ station: InspectedStation) {
        state.withLock { state in
            state.stations.removeAll { $0.history.name == station.history.name }
            state.stations.append(station)
        }
        if recorder.isWatched { station.follow() }
    }

    // MARK: Requests

    /// Starts or continues recording; each request calls this.
    func activate() {
        recorder.activate()
        for station in state.withLock({ $0.stations }) { station.follow() }
    }

    var graphs: [GraphView] { state.withLock { $0.graphs } }
    var stations: [StationHistory] { state.withLock { $0.stations.map(\.history) } }
    var stores: [InspectedStore] { state.withLock { $0.stores } }

    /// The station `name`, or `nil`.
    func station(_ name: String) -> InspectedStation? {
        state.withLock { $0.stations.first { $0.history.name == name } }
    }

    var projections: [Projections] { state.withLock { $0.projections } }

    var relays: [Relay] { state.withLock { $0.relays } }

    /// Returns the relay that can replay `subscription` of `store`, or `nil`.
    func relay(of subscription: String, in store: any DeliveryStore) -> Relay? {
        relays.last { $0.canReplay(subscription, in: store) }
    }

    /// The circuits that have had failures, by name.
    var circuits: [CircuitView] {
        let configuration = recorder.configuration
        return state.withLock { $0.breakers }
            .flatMap { $0.states.sorted { $0.key < $1.key } }
            .enumerated().map { index, circuit in
                let name = configuration.limited(configuration.redaction.text(ofKey: circuit.key, of: "circuit"))
                return CircuitView(name ?? "circuit \(index + 1)", circuit.value)
            }
    }
}

/// A store with the name under which the page shows it.
struct InspectedStore: Sendable {
    let name: String
    let store: any DeliveryStore
}

/// Passes messages, stages, and deliveries to an ``Inspector``.
///
/// Pass it to each API that takes observers: dispatchers, pipelines, clusters, stations, and the registrar of event handlers.
/// A relay takes it twice: as an observer and as a relay observer.
public struct InspectorObserver: MessageObserver, RelayObserver {
    private let recorder: FlowRecorder

    init(_ recorder: FlowRecorder) {
        self.recorder = recorder
    }

    /// Whether the inspector records the next message: always while a page is open, and otherwise within the limits of
    /// ``InspectorConfiguration/retention``.
    public var isListening: Bool { recorder.isListening }

    /// Records the start of a message without its content.
    public func messageBegan(_ context: MessageContext) {
        recorder.messageBegan(context) { FlowRecorder.ShownContent() }
    }

    /// Records the start of a message, and its content as far as the redaction shows it.
    public func messageBegan<Message: Sendable>(_ message: Message, in context: MessageContext) {
        recorder.messageBegan(context) { recorder.content(of: message) }
    }

    /// Records the outcome of a message.
    public func messageEnded(_ context: MessageContext, outcome: MessageOutcome, after duration: Duration) {
        recorder.messageEnded(context, outcome: outcome, after: duration)
    }

    /// Records the start of a stage.
    public func stageBegan(_ stage: MessageStage) {
        recorder.stageBegan(stage)
    }

    /// Records the outcome of a stage.
    public func stageEnded(_ stage: MessageStage, outcome: MessageOutcome, after duration: Duration) {
        recorder.stageEnded(stage, outcome: outcome, after: duration)
    }

    /// Records a completed delivery.
    public func delivered(_ delivery: Delivery) {
        recorder.deliveryEnded(delivery, outcome: "delivered")
    }

    /// Records a failed attempt of a delivery.
    public func failed(_ delivery: Delivery, _ error: any Error, retryAt date: Date) {
        recorder.deliveryEnded(delivery, outcome: "failed", failure: "\(error)", retry: date)
    }

    /// Records that a delivery became a dead letter.
    public func deadLettered(_ delivery: Delivery, reason: String) {
        recorder.deliveryEnded(delivery, outcome: "dead letter", failure: reason)
    }
}

/// Limits on the memory of an inspector, and its rules for showing content.
public struct InspectorConfiguration: Sendable {
    /// Maximum number of messages and stages in the flow; 20,000 by default.
    public var capacity = 20_000

    /// Approximate maximum size of the flow in bytes; 16 MiB by default.
    ///
    /// Memory is allocated as entries come.
    public var byteLimit = 16 << 20

    /// Time over which ``capacity`` is spread while no page is open; 3 minutes by default.
    ///
    /// The inspector keeps the last messages even if no page is open, so that a page shows what happened before it was
    /// opened. To limit the cost under load, it then records at most `capacity / retention` messages and stages each second,
    /// and bursts of up to a quarter of `capacity`. The page says if it has left out messages.
    ///
    /// With `.zero`, the inspector records only while a page is open.
    public var retention: Duration = .seconds(180)

    /// Maximum size of each shown text in bytes; 2,048 by default.
    ///
    /// Longer texts are truncated.
    public var textLimit = 2_048

    /// Maximum number of actions in the history of each station; 500 by default.
    ///
    /// A history is also limited to about 4 MiB.
    public var historyLimit = 500

    /// Time for which all messages are recorded after the last request to the inspector; 30 seconds by default.
    public var window: Duration = .seconds(30)

    /// Rules for showing the content of messages, states, and failures; ``Redaction/typesOnly`` by default.
    public var redaction: Redaction = .typesOnly

    /// The name of the operator in the records of operations; `inspector` by default.
    public var operatorName = "inspector"

    /// The header field with the name of the operator, which a proxy in front of the inspector sets after it has authenticated
    /// the operator; `nil` by default, for ``operatorName``.
    ///
    /// The proxy must remove the field from the requests of clients.
    public var operatorHeader: String?

    /// Creates a configuration with the default values.
    public init() {}

    /// Creates a configuration that shows all content of these types: messages, events, actions, states, errors, entities,
    /// and durable processes.
    ///
    /// ```swift
    /// let inspector = Inspector(configuration: InspectorConfiguration(showing: ReserveSeat.self, SeatReserved.self))
    /// ```
    ///
    /// See ``Redaction/show(_:_:)``.
    public init<First, each Other>(showing first: First.Type, _ others: repeat (each Other).Type) {
        redaction.show(first, repeat each others)
    }

    /// Truncates `text` to ``textLimit``.
    func limited(_ text: String?) -> String? {
        text?.truncated(to: textLimit)
    }

    /// The text of an error of an unknown type, as far as the redaction shows it.
    func shownFailure(_ text: String) -> String? {
        shown(text, by: redaction.failure)
    }

    /// Applies `rule` to `value`, and truncates the text to ``textLimit``.
    func shown<Value>(_ value: Value, by rule: (Value) -> String?) -> String? {
        limited(rule(value))
    }
}

extension String {
    /// The text, cut between two characters if it is longer than `limit` bytes.
    func truncated(to limit: Int) -> String {
        if utf8.count <= limit { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: max(0, limit))
        while end > utf8.startIndex, String.Index(end, within: self) == nil { end = utf8.index(before: end) }
        return self[..<end] + "…"
    }
}
