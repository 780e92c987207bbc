// SPDX-License-Identifier: Apache-2.0

import Headrace
import HeadraceTesting
import Testing

@testable import todo

@Suite(.timeLimit(.minutes(1))) struct ToDoTests {
    private let container: Container
    private let dispatcher: any CommandQueryDispatcher
    private let announcements: AsyncStream<String>

    init() throws {
        let (announcements, announced) = AsyncStream<String>.makeStream()
        self.announcements = announcements
        container = try makeContainer(
            store: InMemoryStore(entities: [ToDo.self]),
            announcer: Announcer { announced.yield($0) }
        )
        dispatcher = container.resolve()
    }

    @Test func aCompletedToDoIsAnnounced() async throws {
        try await TestRelay.run(container.resolve()) { relay in
            try await dispatcher.dispatch(AddToDo(id: "milk", title: "Buy milk"))
            try await dispatcher.dispatch(CompleteToDo(id: "milk"))
            try await relay.untilIdle()
        }

        #expect(await announcements.first { _ in true } == "Completed: Buy milk")
        #expect(try await dispatcher.dispatch(GetToDos()) == ["[x] milk: Buy milk"])
    }

    @Test func aToDoIsCompletedOnce() async throws {
        try await dispatcher.dispatch(AddToDo(id: "milk", title: "Buy milk"))
        try await dispatcher.dispatch(CompleteToDo(id: "milk"))

        await #expect(throws: Refusal(reason: "'Buy milk' is already done.")) {
            try await dispatcher.dispatch(CompleteToDo(id: "milk"))
        }
    }

    @Test func anIdIsUsedOnce() async throws {
        try await dispatcher.dispatch(AddToDo(id: "milk", title: "Buy milk"))

        await #expect(throws: Refusal.self) {
            try await dispatcher.dispatch(AddToDo(id: "milk", title: "Sell milk"))
        }
        #expect(try await dispatcher.dispatch(GetToDos()) == ["[ ] milk: Buy milk"])
    }
}
