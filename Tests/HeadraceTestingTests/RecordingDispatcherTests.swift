// SPDX-License-Identifier: Apache-2.0

import HeadraceCommands
import HeadraceResolution
import HeadraceTesting
import Testing

@Suite struct RecordingDispatcherTests {
    private let dispatcher = RecordingDispatcher()

    @Test func itRecordsMessagesInOrder() async throws {
        dispatcher.stub(GetName.self) { "name \($0.number)" }

        try await dispatcher.dispatch(Rename(to: "one"))
        _ = try await dispatcher.dispatch(GetName(number: 1))
        try await dispatcher.dispatch(Rename(to: "two"))

        #expect(dispatcher.messages.count == 3)
        #expect(dispatcher.dispatched(Rename.self) == [Rename(to: "one"), Rename(to: "two")])
        #expect(dispatcher.dispatched(GetName.self) == [GetName(number: 1)])
        try dispatcher.requireDispatched(Rename.self, GetName.self, Rename.self)
    }

    // MARK: Stubs

    @Test func aQueryIsAnsweredByItsStub() async throws {
        dispatcher.stub(GetName.self) { "name \($0.number)" }

        #expect(try await dispatcher.dispatch(GetName(number: 7)) == "name 7")
    }

    @Test func aLaterStubReplacesAnEarlierStub() async throws {
        dispatcher.stub(GetName.self) { _ in "first" }
        dispatcher.stub(GetName.self) { _ in "second" }

        #expect(try await dispatcher.dispatch(GetName(number: 1)) == "second")
    }

    @Test func aMessageIsRecordedEvenIfItsStubThrows() async throws {
        dispatcher.stub(Rename.self) { _ in throw Offline() }

        await #expect(throws: Offline.self) { try await dispatcher.dispatch(Rename(to: "one")) }

        #expect(dispatcher.dispatched(Rename.self) == [Rename(to: "one")])
    }

    @Test func aStreamQueryReturnsTheValuesOfItsStub() async throws {
        dispatcher.stub(ListNames.self) { _ in ["a", "b"] }

        var names: [String] = []
        for try await name in try await dispatcher.dispatch(ListNames()) { names.append(name) }

        #expect(names == ["a", "b"])
        try dispatcher.requireDispatched(ListNames.self)
    }

    @Test func aCommandWithoutAStubSucceeds() async throws {
        try await dispatcher.dispatch(Rename(to: "one"))
    }

    @Test func aCommandReturnsTheResultOfItsStub() async throws {
        dispatcher.stub(Number.self) { $0.first + 1 }

        #expect(try await dispatcher.dispatch(Number(first: 6)) == 7)
        try dispatcher.requireDispatched(Number(first: 6))
    }

    @Test func aCommandWithAResultAndWithoutAStubExplainsTheFix() async throws {
        let error = await #expect(throws: RecordingDispatcherError.self) {
            try await dispatcher.dispatch(Number(first: 1))
        }

        #expect(error?.code == .noStub)
        #expect(error?.message.contains("'dispatcher.stub(Number.self) { command in … }'") == true)
        #expect(dispatcher.messages.count == 1)
    }

    @Test func genericCodeNeedsNoStubForACommandWithoutAResult() async throws {
        nonisolated(nonsending) func send(_ command: some CQDCommand) async throws {
            try await dispatcher.dispatch(command)
        }

        try await send(Rename(to: "one"))
        dispatcher.stub(Rename.self) { _ in throw Offline() }

        await #expect(throws: Offline.self) { try await send(Rename(to: "two")) }
        #expect(dispatcher.dispatched(Rename.self).map(\.to) == ["one", "two"])
    }

    @Test func theErrorOfAQueryWithoutAStubExplainsTheFix() async throws {
        let error = await #expect(throws: RecordingDispatcherError.self) {
            _ = try await dispatcher.dispatch(GetName(number: 1))
        }

        #expect(error?.code == .noStub)
        #expect(
            error?.message == """
                'HeadraceTestingTests.GetName' was dispatched without a stub. To fix, call \
                'dispatcher.stub(GetName.self) { query in … }' first.
                """
        )
    }

    @Test func theNameOfALocalTypeHasNoAddress() async throws {
        struct Local: CQDQuery, Equatable {
            typealias Value = Int
        }
        let queryError = await #expect(throws: RecordingDispatcherError.self) {
            _ = try await dispatcher.dispatch(Local())
        }
        let requirementError = #expect(throws: RecordingDispatcherError.self) {
            try dispatcher.requireDispatched(Local.self, Local.self)
        }

        #expect(
            queryError?.message.hasPrefix("'HeadraceTestingTests.RecordingDispatcherTests.Local' was dispatched")
                == true)
        #expect(
            requirementError?.message == """
                Required: exactly [HeadraceTestingTests.RecordingDispatcherTests.Local, HeadraceTestingTests.RecordingDispatcherTests.Local], in this order. \
                Dispatched:
                  1. HeadraceTestingTests.RecordingDispatcherTests.Local()
                """
        )
    }

    @Test func theErrorOfAStreamQueryWithoutAStubExplainsTheFix() async throws {
        let error = await #expect(throws: RecordingDispatcherError.self) {
            _ = try await dispatcher.dispatch(ListNames())
        }

        #expect(error?.code == .noStub)
        #expect(error?.message.contains("'dispatcher.stub(ListNames.self) { query in [ … ] }'") == true)
    }

    @Test @MainActor func aStubRunsOnTheActorOfTheCaller() async throws {
        dispatcher.stub(GetCard.self) { _ in
            MainActor.preconditionIsolated()
            return Card()
        }

        // The returned value isn't `Sendable`.
        let card = try await dispatcher.dispatch(GetCard())

        card.isTaken = true
        #expect(card.isTaken)
    }

    @Test func itReplacesTheStandardDispatcher() async throws {
        let builder = ContainerBuilder()
        builder.commandQueryDispatch().standard()
        builder.singleton((any CommandQueryDispatcher).self) { [dispatcher] in dispatcher }

        try await builder.build().resolve((any CommandQueryDispatcher).self).dispatch(Rename(to: "one"))

        #expect(dispatcher.dispatched(Rename.self) == [Rename(to: "one")])
    }

    @Test func concurrentMessagesAreAllRecorded() async throws {
        await withTaskGroup { group in
            for number in 0..<1_000 {
                group.addTask { [dispatcher] in try? await dispatcher.dispatch(Rename(to: "\(number)")) }
            }
        }

        #expect(Set(dispatcher.dispatched(Rename.self).map(\.to)).count == 1_000)
        #expect(dispatcher.messages.count == 1_000)
    }

    // MARK: Requirements

    @Test func theOnlyMessageOfATypeIsReturned() async throws {
        try await dispatcher.dispatch(Rename(to: "one"))

        #expect(try dispatcher.requireOne(Rename.self) == Rename(to: "one"))
    }

    @Test func requiringOneOfSeveralMessagesListsThem() async throws {
        try await dispatcher.dispatch(Rename(to: "one"))
        try await dispatcher.dispatch(Rename(to: "two"))

        let error = #expect(throws: RecordingDispatcherError.self) { try dispatcher.requireOne(Rename.self) }

        #expect(error?.code == .unmetRequirement)
        #expect(
            error?.message == """
                Required: exactly one 'HeadraceTestingTests.Rename'. Dispatched:
                  1. HeadraceTestingTests.Rename(to: "one")
                  2. HeadraceTestingTests.Rename(to: "two")
                """
        )
    }

    @Test func requiringAMessageWithoutADispatchFails() {
        let error = #expect(throws: RecordingDispatcherError.self) { try dispatcher.requireOne(Rename.self) }

        #expect(
            error?.message == "Required: exactly one 'HeadraceTestingTests.Rename'. Dispatched: nothing."
        )
    }

    @Test func requiringAnotherOrderFails() async throws {
        dispatcher.stub(GetName.self) { _ in "name" }
        try await dispatcher.dispatch(Rename(to: "one"))
        _ = try await dispatcher.dispatch(GetName(number: 1))

        #expect(throws: RecordingDispatcherError.self) {
            try dispatcher.requireDispatched(GetName.self, Rename.self)
        }
        #expect(throws: RecordingDispatcherError.self) { try dispatcher.requireDispatched() }
    }

    @Test func messagesAreRequiredInOrder() async throws {
        dispatcher.stub(GetName.self) { _ in "name" }
        try await dispatcher.dispatch(Rename(to: "one"))
        _ = try await dispatcher.dispatch(GetName(number: 1))

        try dispatcher.requireDispatched(Rename(to: "one"), GetName(number: 1))

        let mistakes: [() throws -> Void] = [
            { try dispatcher.requireDispatched(GetName(number: 1), Rename(to: "one")) },
            { try dispatcher.requireDispatched(Rename(to: "one"), GetName(number: 2)) },
            { try dispatcher.requireDispatched(Rename(to: "one"), Rename(to: "one")) },
            { try dispatcher.requireDispatched(Rename(to: "one")) },
            { try dispatcher.requireDispatched(Rename(to: "one"), GetName(number: 1), GetName(number: 1)) },
        ]
        for mistake in mistakes { #expect(throws: RecordingDispatcherError.self) { try mistake() } }
    }

    @Test func requiringAnotherMessageListsBoth() async throws {
        try await dispatcher.dispatch(Rename(to: "one"))

        let error = #expect(throws: RecordingDispatcherError.self) {
            try dispatcher.requireDispatched(Rename(to: "two"))
        }

        #expect(error?.code == .unmetRequirement)
        #expect(
            error?.message == """
                Required: exactly [HeadraceTestingTests.Rename(to: "two")], in this order. Dispatched:
                  1. HeadraceTestingTests.Rename(to: "one")
                """
        )
    }
}

private struct Offline: Error {}

struct Rename: CQDCommand, Equatable {
    var to: String
}

private struct Number: CQDCommand, Equatable {
    typealias Output = Int
    var first: Int
}

struct GetName: CQDQuery, Equatable {
    typealias Value = String
    var number: Int
}

struct ListNames: CQDStreamQuery {
    typealias Element = String
}

private final class Card {
    var isTaken = false
}

private struct GetCard: CQDQuery {
    typealias Value = Card
}
