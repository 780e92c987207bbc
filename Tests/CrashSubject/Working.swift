// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceProcesses
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import HeadraceWorkflows

/// Starts workflows of six steps, and runs these and all earlier ones to their end.
enum Working {
    static func run(path: String, count: Int) async throws {
        let subject = try await Subject(path: path, entities: [StoredWorkflow.self, WorkBook.self])
        let store = subject.store
        let builder = ContainerBuilder()
        builder.domain(
            store: store, workflows: [Work.self], relay: Relaying.configuration, observers: CrashFaults.observers)
        builder.commandQueryDispatch().standard(commandHandlers: [DoWorkHandler.self])
        let container = builder.build()
        defer { withExtendedLifetime(container) {} }
        let workflows: Workflows = container.resolve()
        try await Relaying.run(container.resolve(), on: store) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<count {
                    group.addTask {
                        let id = UUID.version7()
                        try await workflows.start(Work(id: id), id: id)
                        CrashSubject.say("started \(id)")
                    }
                }
                try await group.waitForAll()
            }
        }
        try await check(workflows, EntityContext(store))
    }

    /// Prints each instance that has ended as it should, and how the others have not.
    private static func check(_ workflows: Workflows, _ context: EntityContext) async throws {
        var cursor: PageCursor?
        repeat {
            let page = try await workflows.list(after: cursor, limit: 100)
            for status in page.instances {
                guard let id = UUID(uuidString: status.id) else { continue }
                let book = try await context.find(WorkBook.self, id: id)?.lines ?? []
                guard status.state == .completed, book == ["command", "left", "right", "answered", "end"] else {
                    CrashSubject.say("wrong \(id) \(status.state) \(book) \(status.mistake ?? "")")
                    continue
                }
                CrashSubject.say("finished \(id) \(try await workflows.result(of: Work.self, id: id))")
            }
            cursor = page.next
        } while cursor != nil
    }
}

private struct Work: DurableWorkflow {
    static let workflowName = "work"
    static let receives: [WorkflowEvent<Work>] = [.event(WorkAnswered.self) { $0.id }]

    let id: UUID

    func run(_ flow: WorkflowContext) async throws -> Int {
        let id = id
        let first = try await flow.dispatch(DoWork(id: id))
        try await flow.step("call") { CrashSubject.say("called \(id) \($0.idempotencyKey)") }
        async let left: Int = flow.transaction("left") { try await WorkBook.note("left", id, $0) }
        async let right: Int = flow.transaction("right") { try await WorkBook.note("right", id, $0) }
        let both = try await [left, right]
        try await flow.sleep(for: .milliseconds(5))
        let answer = try await flow.next(WorkAnswered.self)
        let noted = try await flow.transaction("answered") { try await WorkBook.note("answered", answer.id, $0) }
        let last = try await flow.transaction("end") { try await WorkBook.note("end", id, $0) }
        return both.reduce(first + noted + last, +)
    }
}

private struct DoWork: DurableCommand, CQDCommand {
    typealias Output = Int
    static let commandName = "do-work"
    let id: UUID
}

private struct WorkAnswered: DurableDomainEvent {
    static let eventName = "work-answered"
    let id: UUID
}

private struct DoWorkHandler: HandlesCommand, Resolvable {
    private let context: EntityContext

    static var dependencies: Dependencies { Dependencies().on(EntityContext.self) }

    init(scope: borrowing any DependencyResolutionScope) {
        context = scope.resolve()
    }

    nonisolated(nonsending) func handle(_ command: DoWork) async throws -> Int {
        context.raiseEvent(WorkAnswered(id: command.id))
        return try await WorkBook.note("command", command.id, context)
    }
}

/// What the steps of a workflow have stored.
private final class WorkBook: StoredEntity {
    static let entityName = "work-book"

    let id: UUID
    var lines: [String] = []
    var raisedEvents = RaisedEvents()

    init(_ id: UUID) { self.id = id }

    /// Adds a line, and returns its number.
    static func note(_ line: String, _ id: UUID, _ context: EntityContext) async throws -> Int {
        let book = try await context.find(WorkBook.self, id: id) ?? WorkBook(id)
        context.insert(book)
        book.lines.append(line)
        return book.lines.count
    }
}
#endif
