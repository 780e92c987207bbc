// SPDX-License-Identifier: Apache-2.0

#if Client
import Foundation
import HTTPTypes
import HeadraceClient
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceProcesses
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import Synchronization

// The messages, entities, and handlers that a device and its server share. A line that is added twice is seen twice.

final class Journal: StoredEntity {
    static let entityName = "journal"

    let id: String
    var lines: [String] = []
    var marks: [UUID] = []
    var raisedEvents = RaisedEvents()

    init(_ id: String) { self.id = id }

    convenience init(_ value: Lines) {
        self.init(value.journal)
        lines = value.lines
        marks = value.marks
    }
}

/// The part of a journal that another screen shows.
///
/// No handler changes it.
final class Summary: StoredEntity {
    static let entityName = "summary"

    let id: String
    var count: Int
    var raisedEvents = RaisedEvents()

    init(_ value: Lines) {
        id = value.journal
        count = value.lines.count
    }
}

struct Lines: Codable, Hashable {
    let journal: String
    var lines: [String]
    var marks: [UUID]
}

struct AddLine: OfflineCommand {
    static let commandName = "add-line"
    let journal: String
    let line: String

    var orderKey: String { journal }
}

struct LineAdded: DurableDomainEvent {
    static let eventName = "line-added"
    let line: String
}

struct JournalIsClosed: CodedError, Codable {
    let code: String
    let message: String

    init() {
        code = "closed"
        message = "The journal is closed."
    }
}

struct AddLineHandler: HandlesCommand, Resolvable {
    static var dependencies: Dependencies { Dependencies().on(UnitOfWork<EntityContext>.self) }

    private let unitOfWork: UnitOfWork<EntityContext>

    init(scope: any DependencyResolutionScope) { unitOfWork = scope.resolve() }

    func handle(_ command: AddLine) async throws {
        try await unitOfWork.execute { context in
            let journal = try await context.find(Journal.self, id: command.journal) ?? Journal(command.journal)
            context.insert(journal)
            if journal.lines.contains("closed") || command.line == "refused" { throw JournalIsClosed() }
            journal.lines.append(command.line)
            journal.marks.append(SystemValues.current.uuid())
            journal.raiseEvent(LineAdded(line: command.line))
        }
        if command.line == "half" { throw JournalIsClosed() }
    }
}

final class Archive: HandlesDurableDomainEvent, Resolvable {
    static let subscriptionName = "archive"
    static var dependencies: Dependencies { Dependencies() }

    init(scope: any DependencyResolutionScope) {}

    func handle(_ event: LineAdded) async throws {}
}

struct ListJournals: CQDQuery, Codable {
    typealias Value = [Lines]
}

struct ListJournalsHandler: HandlesQuery, Resolvable {
    static var dependencies: Dependencies { Dependencies().on((any EntityStore).self) }

    private let store: any EntityStore

    init(scope: any DependencyResolutionScope) { store = scope.resolve() }

    func handle(_ query: ListJournals) async throws -> [Lines] {
        try await store.read { context in
            try await context.fetch(Journal.self).map { Lines(journal: $0.id, lines: $0.lines, marks: $0.marks) }
        }
    }
}

enum Journals {
    static let api = MessageAPI([
        .post("lines", command: AddLine.self, errors: [JournalIsClosed.self]),
        .live("journals", query: ListJournals.self),
    ])

    static func container(on store: any DeliveryStore, middleware: [any Middleware] = []) -> Container {
        let builder = ContainerBuilder()
        builder.domain(store: store, events: [LineAdded.self], handlers: [Archive.self])
        builder.commandQueryDispatch().standard(
            commandHandlers: [AddLineHandler.self], queryHandlers: [ListJournalsHandler.self],
            middleware: middleware + [RetryMiddleware(maximumAttempts: 100, backoff: Backoff(base: .zero))],
            resolvedMiddleware: [IdempotencyMiddleware.self])
        return builder.build()
    }
}

/// A server of journals in the process of the test.
final class JournalServer: MessageTransport {
    /// The begin or the end of a request, or a value before it is sent.
    enum Moment: Sendable { case request, answer, value }

    private struct Unreachable: Error {}

    let store: InMemoryStore
    let dispatcher: any CommandQueryDispatcher
    private let fault: Mutex<@Sendable (Moment) async throws -> Void>
    private let signedOut = Mutex(false)

    init() throws {
        store = try InMemoryStore(entities: [Journal.self])
        dispatcher = Journals.container(on: store).resolve()
        fault = Mutex { _ in }
    }

    /// Runs `fault` at each moment; an error cuts the connection.
    func faults(_ fault: @escaping @Sendable (Moment) async throws -> Void) {
        self.fault.withLock { $0 = fault }
    }

    /// Demands a sign-in, or accepts the user again.
    func demandsSignIn(_ isDemanded: Bool) { signedOut.withLock { $0 = isDemanded } }

    /// Lets no request through.
    func isUnreachable() { faults { _ in throw Unreachable() } }

    func lines(of journal: String) async throws -> [String] {
        try await dispatcher.dispatch(ListJournals()).first { $0.journal == journal }?.lines ?? []
    }

    private func pass(_ moment: Moment) async throws {
        let fault = fault.withLock(\.self)
        try await fault(moment)
    }

    func send(_ request: HTTPRequest, body: Data?) async throws -> TransportResponse {
        try await pass(.request)
        if signedOut.withLock(\.self) { return TransportResponse(HTTPResponse(status: .unauthorized), body: Data()) }
        guard let body else {
            let head = HTTPResponse(status: .ok, headerFields: [.contentType: "text/event-stream"])
            return TransportResponse(head, body: Events(server: self))
        }
        let key = HTTPField.Name("Idempotency-Key").flatMap { request.headerFields[$0] }
        var status = HTTPResponse.Status.noContent
        var answer = ""
        do {
            let command = try DocumentCoding.decode(AddLine.self, from: body)
            try await IdempotencyMiddleware.withKey(key) { try await dispatcher.dispatch(command) }
        } catch let error as JournalIsClosed {
            status = .conflict
            answer = #"{"title": "Closed", "status": 409, "detail": "\#(error.message)", "code": "closed"}"#
        }
        try await pass(.answer)
        return TransportResponse(HTTPResponse(status: status), body: Data(answer.utf8))
    }

    /// The values of a live query as server-sent events.
    private struct Events: AsyncSequence, Sendable {
        typealias Element = Data
        typealias Failure = any Error

        let server: JournalServer

        func makeAsyncIterator() -> Iterator {
            let values = server.store.observe { [server] _ in try await server.dispatcher.dispatch(ListJournals()) }
            return Iterator(values: values.makeAsyncIterator(), server: server)
        }

        struct Iterator: AsyncIteratorProtocol {
            var values: LiveQuery<[Lines]>.AsyncIterator
            let server: JournalServer

            mutating func next() async throws -> Data? {
                guard let value = try await values.next() else { return nil }
                let json = try JSONEncoder().encode(value)
                try await server.pass(.value)
                return Data("data: ".utf8) + json + Data("\n\n".utf8)
            }
        }
    }
}

/// Counts commands.
final class CommandCount: Middleware {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .relaxed) }

    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        if context.kind == .command { count.add(1, ordering: .relaxed) }
        return try await next(message)
    }
}

/// A device with a store, predictions, and a connection to a server.
struct Device {
    let store: InMemoryStore
    let predicted: PredictedStore
    let dispatcher: any CommandQueryDispatcher
    let offline: OfflineDispatcher

    /// Number of commands that the predictions have executed.
    let executions = CommandCount()

    /// Creates the store of a new device.
    static func makeStore() throws -> InMemoryStore {
        try InMemoryStore(entities: [StoredOfflineCommand.self, Journal.self, Summary.self])
    }

    init(
        _ server: any MessageTransport,
        on store: InMemoryStore? = nil,
        backoff: Backoff = Backoff(base: .zero),
        clock: any TimeSource = CurrentClock()
    ) async throws {
        let store = try store ?? Self.makeStore()
        self.store = store
        predicted = PredictedStore(of: store)
        dispatcher = Journals.container(on: predicted, middleware: [executions]).resolve()
        var settings = RemoteDispatcher.Configuration()
        settings.maximumAttempts = 1
        settings.backoff = backoff
        settings.clock = clock
        let remote = try RemoteDispatcher(Journals.api, at: "http://localhost", through: server, settings)
        var configuration = OfflineDispatcher.Configuration()
        configuration.backoff = backoff
        configuration.clock = clock
        offline = try await OfflineDispatcher(
            remote, predictingIn: predicted, by: dispatcher, configuration: configuration)
    }

    /// Sends commands, and follows the journals of the server.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { [offline] group in
            group.addTask { try await offline.run() }
            group.addTask { try await offline.replicate(ListJournals(), as: Journal.self) { $0.map { Journal($0) } } }
            group.addTask { try await offline.replicate(ListJournals(), as: Summary.self) { $0.map { Summary($0) } } }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    func lines(of journal: String) async throws -> [String] {
        try await dispatcher.dispatch(ListJournals()).first { $0.journal == journal }?.lines ?? []
    }

    /// The visible values, one after the other.
    var values: LiveQuery<[Lines]> {
        predicted.observe { [dispatcher] _ in try await dispatcher.dispatch(ListJournals()) }
    }

    /// Waits until the visible lines of `journal` are `lines`.
    func wait(for lines: [String], of journal: String) async throws {
        for try await value in values where (value.first { $0.journal == journal }?.lines ?? []) == lines { return }
    }
}
#endif
