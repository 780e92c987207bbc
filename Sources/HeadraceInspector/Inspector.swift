//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
public import HeadraceCore
public import HeadraceResolution
public import HeadraceServices
public import HeadraceStations
public import HeadraceStorage
import Synchronization

/// Shows what goes on in a running application: its messages as they flow, and what it is made of.
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
/// It holds what was observed in memory that is bounded, and only while somebody looks: an application whose inspector is
/// not looked at pays for no more than the question whether the observer listens. What it may show of messages, the
/// ``Redaction`` says: unless told otherwise, their types and nothing that is in them.
///
/// An ``InspectorServer`` serves it on this machine; ``InspectorRoutes`` answer within a server of yours.
public final class Inspector: Sendable {
    private struct State {
        var graphs: [ShownGraph] = []
        var stations: [ShownStation] = []
        var stores: [ShownStore] = []
    }

    let recorder: FlowRecorder

    /// Tells it from all others; it is no secret.
    let session = AccessToken().text

    private let state = Mutex(State())

    /// Creates an inspector that shows nothing yet.
    ///
    /// - Parameters:
    ///   - configuration: How much it keeps, and what it may show.
    ///   - clock: Tells how long ago somebody looked.
    ///   - wallClock: Tells the time that is shown.
    public init(
        configuration: Configuration = Configuration(),
        clock: any TimeSource = ContinuousClock(),
        wallClock: @escaping @Sendable () -> Date = { Date() }
    ) {
        recorder = FlowRecorder(configuration: configuration, clock: clock, wallClock: wallClock)
    }

    /// What to have told of messages, wherever observers are taken.
    public var observer: InspectorObserver { InspectorObserver(recorder) }

    /// Shows what a container can make, and out of what; it replaces what was shown under that name.
    public func show(_ graph: DependencyGraph, named name: String = "Dependencies") {
        show(ShownGraph(graph, name: name))
    }

    /// Shows a tree of services; it replaces what was shown under that name.
    public func show(_ graph: ServiceGraph, named name: String = "Services") {
        show(ShownGraph(graph, name: name))
    }

    /// Shows the events, deliveries and dead letters of `store`; it replaces what was shown under that name.
    public func show(_ store: any DeliveryStore, named name: String = "Store") {
        state.withLock { state in
            state.stores.removeAll { $0.name == name }
            state.stores.append(ShownStore(name: name, store: store))
        }
    }

    /// Shows the changes of `station`, which it does not keep alive; it replaces what was shown under that name.
    ///
    /// They are followed while somebody looks. Each look after a pause begins a new history.
    public func show<State, Action>(_ station: Station<State, Action>, named name: String) {
        show(StationHistory(name: name, configuration: recorder.configuration)) { history, recorder in
            StationFollowing.follow(station, in: history, recorder: recorder)
        }
    }

    /// Shows the changes of `station`, which it does not keep alive; as of the other one.
    public func show<State, Action>(_ station: ActorStation<State, Action>, named name: String) {
        show(StationHistory(name: name, configuration: recorder.configuration)) { history, recorder in
            StationFollowing.follow(station, in: history, recorder: recorder)
        }
    }

    private func show(_ graph: ShownGraph) {
        state.withLock { state in
            state.graphs.removeAll { $0.name == graph.name }
            state.graphs.append(graph)
        }
    }

    private func show(
        _ history: StationHistory,
        _ makeStart: (StationHistory, FlowRecorder) -> @Sendable () -> Void
    ) {
        let station = ShownStation(history: history, start: makeStart(history, recorder))
        state.withLock { state in
            state.stations.removeAll { $0.history.name == history.name }
            state.stations.append(station)
        }
        if recorder.isListening { station.follow() }
    }

    // MARK: For the routes

    /// Somebody looks: from now on, until the window is over, what happens is written down.
    func look() {
        recorder.look()
        for station in state.withLock({ $0.stations }) { station.follow() }
    }

    var graphs: [ShownGraph] { state.withLock { $0.graphs } }
    var stations: [StationHistory] { state.withLock { $0.stations.map(\.history) } }
    var stores: [ShownStore] { state.withLock { $0.stores } }
}
