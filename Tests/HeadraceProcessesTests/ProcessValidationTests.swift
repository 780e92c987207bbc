// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceTesting
import Testing

/// Mistakes in the declarations of processes, which are reported before the first event.
@Suite(.timeLimit(.minutes(2))) struct ProcessValidationTests {
    private func problems(
        _ processes: [any DurableProcess.Type],
        scheduled: [ScheduledCommand] = ProcessBench.scheduled,
        entities: [any StoredEntity.Type] = [StoredProcess.self],
        commandHandlers: [any (HandlesCommand & Resolvable).Type] = []
    ) throws -> [CompositionProblem] {
        let builder = ContainerBuilder()
        let store = try InMemoryStore(entities: entities)
        builder.domain(store: store, scheduled: scheduled, processes: processes)
        builder.commandQueryDispatch().standard(commandHandlers: commandHandlers)
        do {
            try builder.validate()
            return []
        } catch let error as CompositionError {
            return error.problems
        }
    }

    @Test func aCompleteDeclarationHasNoProblems() throws {
        #expect(try problems([Fulfilment.self]).isEmpty)
    }

    @Test func aCommandWithoutAnOperationIsReported() throws {
        let found = try problems([Fulfilment.self], scheduled: Array(ProcessBench.scheduled.dropFirst()))

        #expect(found.map(\.kind) == [.missingHandler])
        #expect(found.first?.path.last.map { ObjectIdentifier($0) } == ObjectIdentifier(TakePayment.self))
    }

    @Test(arguments: [[], [ScheduledCommand(Ring.self)]]) func aCommandWithoutAHandlerIsReported(
        scheduled: [ScheduledCommand]
    ) throws {
        let found = try problems([Alarm.self], scheduled: scheduled)

        #expect(found.map(\.kind) == [.missingHandler])
        #expect(
            found.first?.message == """
                'HeadraceProcessesTests.Alarm' sends 'HeadraceProcessesTests.Ring', which has no handler. To fix, add \
                its handler to 'commandHandlers: […]', or its \
                operation to 'scheduled: […]'.
                """
        )
        #expect(try problems([Alarm.self], scheduled: scheduled, commandHandlers: [RingHandler.self]).isEmpty)
    }

    @Test func aStoreWithoutProcessesIsReported() throws {
        #expect(try problems([Fulfilment.self], entities: [CarriedOut.self]).map(\.kind) == [.undeclaredEntity])
    }

    @Test func aProcessThatIsDeclaredTwiceIsReported() throws {
        let found = try problems([Fulfilment.self, Fulfilment.self])

        #expect(
            found.map(\.message) == [
                "The process 'HeadraceProcessesTests.Fulfilment' is declared twice. To fix, remove one from 'processes: […]'."
            ]
        )
    }

    @Test func twoProcessesOfOneNameAreReported() throws {
        let found = try problems([Alarm.self, OtherAlarm.self], scheduled: [ScheduledCommand(Ring.self) { _, _ in }])

        #expect(
            found.map(\.message) == [
                """
                'HeadraceProcessesTests.Alarm' and 'HeadraceProcessesTests.OtherAlarm' both have \
                the name 'alarm'. To fix, give each type a unique name.
                """
            ]
        )
    }

    @Test func eachMistakeInADeclarationIsReported() throws {
        let found = try problems([Mistaken.self])

        #expect(found.allSatisfy { $0.kind == .invalidProcess })
        #expect(
            found.map(\.message).sorted()
                == [
                    """
                    'HeadraceProcessesTests.Mistaken' has 2 reactions to \
                    'HeadraceProcessesTests.PurchasePlaced'. To fix, remove all but one.
                    """,
                    "'HeadraceProcessesTests.Mistaken' has 2 reactions to the time-out 'one'. To fix, remove all but one.",
                    """
                    'HeadraceProcessesTests.Mistaken' has no reaction to the time-out 'two'. To fix, add \
                    '.onTimeout(.two)' to its 'reactions'.
                    """,
                    """
                    'HeadraceProcessesTests.Mistaken' has the processName 'a/b'. To fix, give it a \
                    name of 1 to 200 bytes without a slash.
                    """,
                    "No event starts 'HeadraceProcessesTests.Mistaken'. To fix, add '.start(on: …)' to its 'reactions'.",
                    """
                    The migrations of 'HeadraceProcessesTests.Mistaken' start from the versions [] and must lead, \
                    version by version, to its version 0. To \
                    fix, order them and fill the gaps.
                    """,
                ].sorted()
        )
    }

    @Test func aRelayWithoutAContainerReportsMistakesWhenItRuns() async throws {
        let store = try InMemoryStore(entities: [CarriedOut.self])
        let relay = Relay(store: store, registrar: DomainEventHandlerRegistrar(resolver: ServiceLocator()))
        relay.register(Alarm.self)
        relay.register(OtherAlarm.self)

        let error = await #expect(throws: RelayError.self) { try await relay.run() }

        #expect(error?.code == .invalidDeclarations)
        #expect(error?.message.contains("The store was not opened with 'StoredProcess'") == true)
        #expect(
            error?.message.contains(
                "'HeadraceProcessesTests.Alarm' and 'HeadraceProcessesTests.OtherAlarm' both have the name 'alarm'"
            ) == true)
    }

    @Test func aHandlerWithTheNameOfAProcessIsReportedWhenTheRelayRuns() async throws {
        let store = try InMemoryStore(entities: [StoredProcess.self])
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        let relay = Relay(store: store, registrar: registrar)
        relay.register(Fulfilment.self)
        registrar.register(NamesakeHandler.self)

        let error = await #expect(throws: RelayError.self) { try await relay.run() }

        #expect(error?.code == .invalidDeclarations)
        #expect(
            error?.message == """
                'HeadraceProcessesTests.Fulfilment' has the name 'fulfilment', which is also the \
                subscriptionName of a handler of \
                'namesake-raised'. To fix, give the handler a unique name.
                """
        )
    }

    @Test func anUndeclaredCommandFailsTheReaction() async throws {
        try await ProcessPlace.memory.withStore { store in
            let bench = ProcessBench(store)
            try await bench.run([Silent.self], attempts: 1) { relay, container in
                try await bench.raise(PurchasePlaced(order: "1"), container)
                await #expect(throws: RelayError.self) { try await relay.untilIdle() }

                #expect(
                    bench.mishaps == [
                        """
                        dead silent: 'HeadraceProcessesTests.Silent' sends 'HeadraceProcessesTests.Ship', which it \
                        doesn't declare. To fix, add 'HeadraceProcessesTests.Ship.self' to its 'commands'.
                        """
                    ]
                )
            }
        }
    }
}

private struct Ring: CQDCommand, DurableCommand {
    static let commandName = "ring"
}

private struct RingHandler: HandlesCommand, Resolvable {
    static let dependencies = Dependencies()

    init(scope: any DependencyResolutionScope) {}

    func handle(_ command: Ring) async throws {}
}

private enum OneStep: String, Codable { case only }

private struct Alarm: DurableProcess {
    static let processName = "alarm"
    static let commands: [any DurableCommand.Type] = [Ring.self]
    static let reactions: [ProcessReaction<Alarm>] = [
        .start(on: PurchasePlaced.self, by: \.order) { _, _, context in context.send(Ring()) }
    ]

    var step = OneStep.only

    init(key: String) {}
}

private struct OtherAlarm: DurableProcess {
    static let processName = "alarm"
    static let commands: [any DurableCommand.Type] = []
    static let reactions: [ProcessReaction<OtherAlarm>] = [.start(on: Shipped.self, by: \.order) { _, _, _ in }]

    var step = OneStep.only

    init(key: String) {}
}

private struct Silent: DurableProcess {
    static let processName = "silent"
    static let commands: [any DurableCommand.Type] = []
    static let reactions: [ProcessReaction<Silent>] = [
        .start(on: PurchasePlaced.self, by: \.order) { _, event, context in context.send(Ship(order: event.order ?? ""))
        }
    ]

    var step = OneStep.only

    init(key: String) {}
}

private struct Mistaken: DurableProcess {
    static let processName = "a/b"
    static let processVersion = 0
    static let commands: [any DurableCommand.Type] = []
    static let reactions: [ProcessReaction<Mistaken>] = [
        .on(PurchasePlaced.self, by: \.order) { _, _, _ in },
        .on(PurchasePlaced.self, by: \.order) { _, _, _ in },
        .onTimeout(.one) { _, _ in },
        .onTimeout(.one) { _, _ in },
    ]

    enum Timeout: String, CaseIterable { case one, two }

    var step = OneStep.only

    init(key: String) {}
}

private struct NamesakeRaised: DurableDomainEvent {
    static let eventName = "namesake-raised"
}

/// An ordinary handler with the name of a process.
private enum NamesakeHandler: DurableDomainEventHandler {
    static var subscriptionName: String { Fulfilment.processName }

    static func handle(event: NamesakeRaised, resolver: any DependencyResolver) async throws {}
}
