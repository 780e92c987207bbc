// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCommandEffects
import HeadraceCommands
import HeadraceCore
import HeadraceResolution
import HeadraceStations
import HeadraceTesting
import Testing

// MARK: - Messages

private struct RenameCustomer: CQDCommand {
    let id: UUID
    let name: String
}

private struct AddSomethingCommand: CQDCommand {
    var name: String
}

private struct GetInfoQuery: CQDQuery {
    typealias Value = Info
    var subject: String
}

private struct ListEntriesQuery: CQDStreamQuery {
    typealias Element = Entry
    var account: String
}

private struct ReserveSeat: CQDCommand {
    typealias Output = Int
    let row: String
}

private struct Info: Equatable {
    let text: String
}

private struct Entry: CustomStringConvertible {
    let description: String
    let isLast: Bool
}

// MARK: - Their handlers

private final class RenameCustomerHandler: HandlesCommand, Resolvable {
    private let notes: Notes

    init(scope: any DependencyResolutionScope) {
        notes = scope.resolve()
    }

    func handle(_ command: RenameCustomer) async throws {
        notes.note("\(command.id) is \(command.name)")
    }
}

private final class ReserveSeatHandler: HandlesCommand, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ command: ReserveSeat) async throws -> Int {
        12
    }
}

private final class AddSomethingCommandHandler: HandlesCommand, Resolvable {
    private let notes: Notes

    init(scope: any DependencyResolutionScope) {
        notes = scope.resolve()
    }

    func handle(_ command: AddSomethingCommand) async throws {
        notes.note("added \(command.name)")
    }
}

private final class GetInfoQueryHandler: HandlesQuery, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ query: GetInfoQuery) async throws -> Info {
        Info(text: "all about \(query.subject)")
    }
}

private final class ListEntriesQueryHandler: HandlesStreamQuery, Resolvable {
    private let notes: Notes

    init(scope: any DependencyResolutionScope) {
        notes = scope.resolve()
    }

    func handle(_ query: ListEntriesQuery) async throws -> QueryStream<Entry> {
        var count = 0
        return QueryStream {
            count += 1
            self.notes.note("entry \(count)")
            return count > 3 ? nil : Entry(description: "\(query.account) \(count)", isLast: count == 2)
        }
    }
}

// MARK: - Middleware

private struct Announcing: Middleware {
    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        print("handling \(context.type)")
        return try await next(message)
    }
}

@Suite struct CommandsExamples {
    private let notes = Notes()

    private var builder: ContainerBuilder {
        let builder = ContainerBuilder()
        builder.singleton { [notes] in notes }
        return builder
    }

    private var container: Container {
        let builder = builder
        builder.commandQueryDispatch().standard(
            commandHandlers: [AddSomethingCommandHandler.self, RenameCustomerHandler.self, ReserveSeatHandler.self],
            queryHandlers: [GetInfoQueryHandler.self],
            streamHandlers: [ListEntriesQueryHandler.self]
        )
        return builder.build()
    }

    @Test func aCommandReachesItsHandler() async throws {
        let id = UUID()

        let dispatcher: any CommandQueryDispatcher = container.resolve()
        try await dispatcher.dispatch(RenameCustomer(id: id, name: "Ada"))

        #expect(notes.all == ["\(id) is Ada"])
    }

    @Test func aCommandReturnsItsResult() async throws {
        let dispatcher: any CommandQueryDispatcher = container.resolve()
        let number = try await dispatcher.dispatch(ReserveSeat(row: "A"))

        #expect(number == 12)
    }

    @Test func aQueryIsAnswered() async throws {
        let dispatcher: any CommandQueryDispatcher = container.resolve()
        try await dispatcher.dispatch(AddSomethingCommand(name: "one"))
        let info = try await dispatcher.dispatch(GetInfoQuery(subject: "Programming"))

        #expect(notes.all == ["added one"])
        #expect(info == Info(text: "all about Programming"))
    }

    @Test func aStreamQueryReturnsOneEntryAtATime() async throws {
        let dispatcher: any CommandQueryDispatcher = container.resolve()

        let entries = try await printed {
            for try await entry in try await dispatcher.dispatch(ListEntriesQuery(account: "assets:cash")) {
                print(entry)
            }
        }

        #expect(entries == ["assets:cash 1", "assets:cash 2", "assets:cash 3"])
    }

    @Test func aCallerEndsAStreamEarly() async throws {
        let dispatcher: any CommandQueryDispatcher = container.resolve()

        for try await entry in try await dispatcher.dispatch(ListEntriesQuery(account: "assets:cash")) {
            if entry.isLast { break }
        }

        #expect(notes.all == ["entry 1", "entry 2"])
    }

    @Test func middlewareWrapsEachMessage() async throws {
        let builder = builder

        builder.commandQueryDispatch().standard(
            commandHandlers: [AddSomethingCommandHandler.self],
            queryHandlers: [GetInfoQueryHandler.self],
            middleware: [Announcing()]
        )

        let dispatcher: any CommandQueryDispatcher = builder.build().resolve()
        let lines = try await printed {
            try await dispatcher.dispatch(AddSomethingCommand(name: "one"))
            _ = try await dispatcher.dispatch(GetInfoQuery(subject: "Programming"))
        }
        #expect(lines == ["handling AddSomethingCommand", "handling GetInfoQuery"])
    }
}

// MARK: - Command effects

private struct SaveDocument: CQDCommand, Equatable {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}

private struct SeatPicker: Dripper {
    struct State: Equatable, Sendable {
        var row = "A"
        var number: Int?
    }

    enum Action: Sendable {
        case reserveTapped
        case reserved(Result<Int, any Error>)
    }

    let dispatcher: any CommandQueryDispatcher

    var body: some Dripper<State, Action> {
        let dispatcher = dispatcher
        Drip { state, action in
            switch action {
            case .reserveTapped:
                return .dispatch(ReserveSeat(row: state.row), by: dispatcher) { .reserved($0) }
            case .reserved(let outcome):
                state.number = try? outcome.get()
                return .none
            }
        }
    }
}

private struct Editor: Dripper {
    struct State: Equatable, Sendable {
        var text = ""
        var isSaved = false
    }

    enum Action: Sendable {
        case typed(String)
        case saveTapped
        case saved(Result<Void, any Error>)
    }

    let dispatcher: any CommandQueryDispatcher

    var body: some Dripper<State, Action> {
        let dispatcher = dispatcher
        Drip { state, action in
            switch action {
            case .typed(let text):
                state.text = text
                return .none
            case .saveTapped:
                return .dispatch(SaveDocument(state.text), by: dispatcher) { .saved($0) }
            case .saved(let outcome):
                state.isSaved = (try? outcome.get()) != nil
                return .none
            }
        }
    }
}

@Suite(.timeLimit(.minutes(2))) struct CommandEffectsExamples {
    @Test func theResultOfACommandReturnsAsAnAction() async throws {
        let dispatcher = RecordingDispatcher()
        dispatcher.stub(ReserveSeat.self) { _ in 12 }
        let station = ActorStation(initialState: SeatPicker.State()) { SeatPicker(dispatcher: dispatcher) }

        try await station.pour(.reserveTapped).finish()

        #expect(await station.number == 12)
    }

    @Test func theOutcomeOfACommandReturnsAsAnAction() async throws {
        let dispatcher = RecordingDispatcher()
        let station = ActorStation(initialState: Editor.State()) { Editor(dispatcher: dispatcher) }

        await station.pour(.typed("Dear Ada"))
        try await station.pour(.saveTapped).finish()

        try dispatcher.requireDispatched(SaveDocument("Dear Ada"))
        #expect(await station.isSaved)
    }
}
