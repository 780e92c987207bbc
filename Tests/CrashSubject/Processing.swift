// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceProcesses
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting

/// Begins jobs, each of which is a process that sends a command, and ends after an event or after a time-out.
enum Processing {
    static func run(path: String, jobs: Int) async throws {
        let subject = try await Subject(
            path: path, entities: [StoredProcess.self, JobCounter.self, JobBook.self])
        let store = subject.store
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator(), observers: CrashFaults.observers)
        let relay = Relay(store: store, registrar: registrar, configuration: Relaying.configuration)
        relay.register(JobProcess.self)
        let context: @Sendable () -> UnitOfWork<EntityContext> = {
            UnitOfWork(delegator: registrar, context: EntityContext(store))
        }
        relay.carryOut(DoJob.self) { command in
            try await context().execute { context in
                let book = try await JobBook.find(command.shop, in: context)
                if !book.done.insert(command.number).inserted { book.mistakes.append("\(command.number) twice") }
                // The jobs with even numbers have no answer, so that their time-outs fire.
                if !command.number.isMultiple(of: 2) {
                    book.raiseEvent(JobDone(shop: command.shop, number: command.number))
                }
            }
        }
        relay.carryOut(GiveUpJob.self) { command in
            try await context().execute { context in
                let book = try await JobBook.find(command.shop, in: context)
                if !book.givenUp.insert(command.number).inserted { book.mistakes.append("\(command.number) twice") }
            }
        }
        try await Relaying.run(relay, on: store) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for shop in 0..<8 {
                    group.addTask {
                        for _ in 0..<jobs { try await begin("\(shop)", context()) }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    private static func begin(_ shop: String, _ unitOfWork: UnitOfWork<EntityContext>) async throws {
        let number = try await unitOfWork.execute { context in
            let counter = try await context.find(JobCounter.self, id: shop) ?? JobCounter(shop)
            context.insert(counter)
            counter.count += 1
            counter.raiseEvent(JobBegun(shop: shop, number: counter.count))
            return counter.count
        }
        CrashSubject.say("begun \(shop) \(number)")
    }
}

private struct JobProcess: DurableProcess {
    static let processName = "job"
    static let commands: [any DurableCommand.Type] = [DoJob.self, GiveUpJob.self]

    enum Step: String, Codable { case working, done, givenUp }
    enum Timeout: String, CaseIterable { case answer }

    var step = Step.working
    var shop = ""
    var number = 0

    init(key: String) {}

    static let reactions: [ProcessReaction<JobProcess>] = [
        .start(on: JobBegun.self, by: \.key) { job, event, context in
            (job.shop, job.number) = (event.shop, event.number)
            context.send(DoJob(shop: event.shop, number: event.number))
            context.setTimeout(.answer, after: event.number.isMultiple(of: 2) ? .milliseconds(20) : .seconds(3_600))
        },
        .on(JobDone.self, by: \.key) { job, _, context in
            job.step = .done
            context.end()
        },
        .onTimeout(.answer) { job, context in
            job.step = .givenUp
            context.send(GiveUpJob(shop: job.shop, number: job.number))
            context.end()
        },
    ]
}

private struct JobBegun: DurableDomainEvent {
    static let eventName = "job-begun"
    var shop: String
    var number: Int
    var key: String { "\(shop) \(number)" }
}

private struct JobDone: DurableDomainEvent {
    static let eventName = "job-done"
    var shop: String
    var number: Int
    var key: String { "\(shop) \(number)" }
}

private struct DoJob: DurableCommand {
    static let commandName = "do-job"
    var shop: String
    var number: Int
}

private struct GiveUpJob: DurableCommand {
    static let commandName = "give-up-job"
    var shop: String
    var number: Int
}

private final class JobCounter: StoredEntity {
    static let entityName = "job-counter"

    let id: String
    var count = 0
    var raisedEvents = RaisedEvents()

    init(_ id: String) { self.id = id }
}

/// The commands that were carried out.
private final class JobBook: StoredEntity {
    static let entityName = "job-book"

    let id: String
    var done: Set<Int> = []
    var givenUp: Set<Int> = []
    var mistakes: [String] = []
    var raisedEvents = RaisedEvents()

    init(_ id: String) { self.id = id }

    static func find(_ id: String, in context: EntityContext) async throws -> JobBook {
        let book = try await context.find(JobBook.self, id: id) ?? JobBook(id)
        context.insert(book)
        return book
    }
}
#endif
