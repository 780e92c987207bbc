// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceInspector
import HeadraceProcesses
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import Testing

/// The steps of processes in the flow.
@Suite(.timeLimit(.minutes(1))) struct ProcessFlowTests {
    @Test(arguments: [false, true])
    func theNameAndTheStepsOfAProcessAreShownAndItsKeyIfTheRedactionAllowsIt(showsKey: Bool) async throws {
        var configuration = InspectorConfiguration()
        if showsKey { configuration.redaction = .disabled }
        let inspector = Inspector(configuration: configuration)
        let client = Client(InspectorRoutes(inspector))
        _ = await client.get("/api/overview")
        let store = try InMemoryStore(entities: [StoredProcess.self])
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator(), observers: [inspector.observer])
        let relay = Relay(store: store, registrar: registrar, observers: [inspector.observer])
        relay.register(Parcel.self)

        try await TestRelay.run(relay) { relay in
            try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
                context.raiseEvent(ParcelSent(parcel: 7))
            }
            try await relay.advance(by: .seconds(60))
        }

        let parcel = showsKey ? "parcel 7" : "parcel"
        let flow: Flow = try await client.get("/api/messages").read()
        let noted = flow.entries.filter { $0.note != nil }.sorted { $0.number < $1.number }
        let notes = noted.map { "\($0.kind) \($0.note ?? "")" }
        #expect(
            notes == [
                "event to parcel, attempt 1, process \(parcel): new → onItsWay",
                "unit of work process \(parcel): new → onItsWay",
                "command to headrace.scheduled, attempt 1, process \(parcel): onItsWay → lost, ended",
                "unit of work process \(parcel): onItsWay → lost, ended",
            ]
        )
    }
}

private struct ParcelSent: DurableDomainEvent {
    static let eventName = "parcel-sent"
    var parcel: Int
}

private struct Parcel: DurableProcess {
    static let processName = "parcel"
    static let commands: [any DurableCommand.Type] = []

    enum Step: String, Codable { case onItsWay, lost }
    enum Timeout: String, CaseIterable { case arrival }

    var step = Step.onItsWay

    init(key: Int) {}

    static let reactions: [ProcessReaction<Parcel>] = [
        .start(on: ParcelSent.self, by: \.parcel) { _, _, context in context.setTimeout(.arrival, after: .seconds(60))
        },
        .onTimeout(.arrival) { parcel, context in
            parcel.step = .lost
            context.end()
        },
    ]
}
