// SPDX-License-Identifier: Apache-2.0

#if Simulations
public import Foundation
import HeadraceCore
public import HeadraceStorage
import Synchronization

/// The store of a node in a simulation: a connection to a simulated database server, or a simulated file.
///
/// It keeps the contract of stores, so a program can take it for a model of `PostgresStore` or `SQLiteStore`. It has no SQL, and
/// `perform` throws an error.
public final class SimulatedStore: ObservableStore {
    /// The kinds of store of which it is a model.
    public enum Kind: Hashable, Sendable {
        /// A server that all nodes share, as PostgreSQL. Requests and answers can be lost, and the server can crash. The clock
        /// of the server decides about leases.
        case server

        /// A file on the machine of all nodes, as SQLite: a power failure ends the nodes, too.
        case file
    }

    private struct State {
        var isClosed = false
        var isCutOff = false
        var isWatched = false
    }

    /// The declared types of entity, and their indexes.
    public var schema: EntitySchema { server.schema }

    /// Is notified of deliveries that other stores have made.
    public let deliverySignal = DeliverySignal()

    /// Is notified of commits.
    public let commitFeed = CommitFeed()

    let owner: JobOwner
    let name: String
    private let link: Mutex<SimulatedServer?>
    private let server: Description
    private let state = Mutex(State())

    /// The facts about the server that remain after the run.
    private struct Description: Sendable {
        let schema: EntitySchema
        let date: (@Sendable () -> Date)?
        let unavailable: StoreError
    }

    /// Creates the store of the node with the name `name`.
    init(_ server: SimulatedServer, owner: JobOwner, name: String) {
        let clock = server.clock
        let date: @Sendable () -> Date = { clock.date }
        self.server = Description(
            schema: server.memory.schema,
            date: server.kind == .server ? date : nil,
            unavailable: StoreError(
                code: .unreachable,
                message: "The simulated server can't be reached. Nothing was stored. To fix, try again."
            )
        )
        self.owner = owner
        self.name = name
        link = Mutex(server)
        server.connect(self)
    }

    /// Whether requests and notifications are lost.
    var isCutOff: Bool { state.withLock { $0.isCutOff || $0.isClosed } }

    func setCutOff(_ isCutOff: Bool) {
        state.withLock { $0.isCutOff = isCutOff }
    }

    /// Whether the watch is told which deliveries the relay of the node has handled.
    var isWatched: Bool { state.withLock(\.isWatched) }

    /// Returns the watch of the server, which is told from now on which deliveries the relay of the node has handled.
    func beginWatching() -> PromiseWatch? {
        state.withLock { $0.isWatched = true }
        return link.withLock { $0?.watch }
    }

    /// Forgets the server, at the end of the node or of the run.
    func disconnect() {
        let server = link.withLock { link in
            defer { link = nil }
            return link
        }
        server?.disconnect(self)
    }

    /// Ends the use of the store.
    public func close() throws {
        state.withLock { $0.isClosed = true }
        disconnect()
    }

    /// The clock of the server; `nil` for a file.
    public var wallClock: (@Sendable () -> Date)? { server.date }

    // MARK: Requests

    /// The kinds of request, which have different errors.
    private enum Request {
        case read
        case write(String?)
        case commit(String)

        /// The text for the history.
        var text: String? {
            switch self {
            case .read: nil
            case .write(let text): text
            case .commit(let text): text
            }
        }
    }

    /// Sends a request to the server, which executes `body`, and returns its answer.
    ///
    /// The request goes on if its task is cancelled, and so it does if its node is killed.
    private func send<Answer: Sendable>(
        _ request: Request,
        _ body: @escaping @Sendable (SimulatedServer) async throws -> Answer
    ) async throws -> Answer {
        if state.withLock(\.isClosed) {
            throw StoreError(code: .closed, message: "The store is closed. To fix, close it after its last use.")
        }
        guard let server = link.withLock(\.self) else { throw self.server.unavailable }
        try await server.scheduler.checkEnd()
        if case .read = request { try Task.checkCancellation() }
        let scheduler = server.scheduler
        if Scheduler.current !== scheduler { throw SimulationError.outside(name) }
        if let text = request.text { server.history.note(name, text + SimulationHistory.currentCause) }
        let owner = scheduler.currentOwner
        let waiter = Waiter<Answer>()
        let answer: @Sendable (Duration, Result<Answer, any Error>) -> Void = { delay, result in
            scheduler.at(scheduler.now + delay, for: owner) { waiter.end(with: result)?.resume() }
        }
        let canBeLost = server.kind == .server
        let isLost = isCutOff || canBeLost && server.plan.happens(.lostRequest, server.plan.faults.storeLoss)
        let crashes = server.crashCount
        scheduler.at(scheduler.now + server.delay, for: .world) {
            if isLost || server.isDown || server.crashCount > crashes {
                answer(.seconds(1), .failure(self.server.unavailable))
                return
            }
            Task {
                let result: Result<Answer, any Error>
                do {
                    result = .success(try await body(server))
                } catch {
                    result = .failure(error)
                }
                let isAnswerLost =
                    self.isCutOff || server.crashCount > crashes
                    || canBeLost && server.plan.happens(.lostAnswer, server.plan.faults.storeLoss)
                answer(server.delay, isAnswerLost ? self.outcome(of: request, result, server) : result)
            }
        }
        switch request {
        case .read: return try await waiter.value()
        case .write, .commit: return try await waiter.valueRegardless()
        }
    }

    /// The result for the client if the answer was lost.
    ///
    /// For a commit, it connects again and asks for the outcome, which succeeds half of the time.
    private func outcome<Answer>(
        of request: Request, _ result: Result<Answer, any Error>, _ server: SimulatedServer
    ) -> Result<Answer, any Error> {
        switch request {
        case .read: return .failure(self.server.unavailable)
        case .write: return .failure(SimulatedServer.crashed)
        case .commit:
            let knows = !isCutOff && server.plan.stream(of: .lostAnswer).happens(0.5)
            return knows ? result : .failure(SimulatedServer.crashed)
        }
    }

    private func read<Answer: Sendable>(
        _ body: @escaping @Sendable (InMemoryStore) async throws -> Answer
    ) async throws -> Answer {
        try await send(.read) { try await body($0.memory) }
    }

    /// Changes deliveries; the change becomes durable with the next durable commit.
    private func write<Answer: Sendable>(
        _ text: String,
        _ body: @escaping @Sendable (SimulatedServer) async throws -> Answer
    ) async throws -> Answer {
        try await send(.write(text)) { server in
            let answer = try await body(server)
            server.announce([], makesDeliveries: true, by: self)
            return answer
        }
    }

    /// Changes deliveries as an operator does.
    private func operate<Answer: Sendable>(
        _ text: String,
        _ body: @escaping @Sendable (InMemoryStore) async throws -> Answer
    ) async throws -> Answer {
        try await write(text) { server in
            let answer = try await body(server.memory)
            server.watch?.noteOperation(server.memory.contents)
            return answer
        }
    }
}

extension SimulationError {
    fileprivate static func outside(_ node: String) -> SimulationError {
        SimulationError(
            .notRepeatable,
            "The store of '\(node)' was used outside of its simulation. To fix, use it only in the body of the simulation."
        )
    }
}

// MARK: - As a store

extension SimulatedStore {
    /// Stores all changes, or none of them.
    public func commit(_ changes: ChangeSet) async throws {
        let watch = link.withLock { $0?.watch }
        try await send(.commit(changes.summary)) { try await $0.commit(changes, from: self) }
        if changes.durability == .durable { watch?.noteAcknowledgement(of: changes, to: name) }
    }

    /// Returns the entity with this identifier.
    public func find(_ reference: EntityReference) async throws -> StoredDocument? {
        try await read { try await $0.find(reference) }
    }

    /// Returns the entities with these identifiers.
    public func find(all references: [EntityReference]) async throws -> [StoredDocument] {
        try await read { try await $0.find(all: references) }
    }

    /// Returns the entities that match `query`.
    public func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        try await read { try await $0.fetch(query) }
    }

    /// Returns the number of entities that match `query`.
    public func count(_ query: DocumentQuery) async throws -> Int {
        try await read { try await $0.count(query) }
    }

    /// Returns events of the log.
    public func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        try await read { try await $0.events(after: position, limit: limit) }
    }

    /// Returns the content of the store at this time.
    public func snapshot() async throws -> any EntityReader {
        try await read { try await $0.snapshot() }
    }
}

extension SimulatedStore: DeliveryStore {
    /// Leases deliveries.
    public func lease(_ request: LeaseRequest) async throws -> LeasedDeliveries {
        try await send(.write(nil)) { [name] server in
            let leased = try await server.memory.lease(request)
            server.watch?.noteLease(of: leased.lanes, to: name)
            for lane in leased.lanes.flatMap(\.self) {
                server.history.note(name, "leases \(lane.subscription) \(lane.position)")
            }
            return leased
        }
    }

    /// Settles deliveries.
    public func settle(_ settlements: [Settlement]) async throws -> [Lease] {
        try await write("settles \(settlements.count) deliveries") { [name] server in
            let refused = try await server.memory.settle(settlements)
            let accepted = settlements.filter { !refused.contains($0.lease) }
            server.watch?.noteSettlements(accepted, by: name, isWatched: self.isWatched)
            return refused
        }
    }

    /// Renews leases.
    public func renew(_ leases: [Lease], until date: Date) async throws -> [Lease] {
        try await send(.write("renews \(leases.count) leases")) { try await $0.memory.renew(leases, until: date) }
    }

    /// Returns the record of the command with this key.
    public func idempotencyRecord(for key: String) async throws -> IdempotencyRecord? {
        try await read { try await $0.idempotencyRecord(for: key) }
    }

    /// Returns pending deliveries.
    public func pendingDeliveries(_ request: PendingDeliveryRequest) async throws -> [PendingDelivery] {
        try await read { try await $0.pendingDeliveries(request) }
    }

    /// Makes deliveries due at once.
    public func retryDeliveries(_ ids: [PendingDelivery.ID], now: Date) async throws -> Int {
        try await operate("retries deliveries") { try await $0.retryDeliveries(ids, now: now) }
    }

    /// Cancels deliveries.
    public func cancelDeliveries(_ ids: [PendingDelivery.ID], reason: String, now: Date) async throws -> Int {
        try await operate("cancels deliveries") { try await $0.cancelDeliveries(ids, reason: reason, now: now) }
    }

    /// Returns dead letters.
    public func deadLetters(after id: Int64, of subscription: String?, limit: Int) async throws -> [DeadLetter] {
        try await read { try await $0.deadLetters(after: id, of: subscription, limit: limit) }
    }

    /// Returns the dead letter with this ID.
    public func deadLetter(_ id: Int64) async throws -> DeadLetter? {
        try await read { try await $0.deadLetter(id) }
    }

    /// Delivers dead letters again.
    public func replayDeadLetters(_ ids: [Int64]) async throws -> Int {
        try await operate("replays dead letters") { try await $0.replayDeadLetters(ids) }
    }

    /// Delivers a dead letter again, with another content.
    public func replayDeadLetter(_ id: Int64, correctedTo json: Data) async throws -> Bool {
        try await operate("corrects a dead letter") { try await $0.replayDeadLetter(id, correctedTo: json) }
    }

    /// Removes dead letters.
    public func discardDeadLetters(_ ids: [Int64]) async throws -> Int {
        try await operate("discards dead letters") { try await $0.discardDeadLetters(ids) }
    }

    /// Delivers events of the log again.
    public func replay(
        _ subscription: String, eventsNamed names: Set<String>, after position: Int64
    ) async throws -> Int {
        try await operate("replays events") {
            try await $0.replay(subscription, eventsNamed: names, after: position)
        }
    }

    /// Pauses a subscription.
    public func pause(_ subscription: String, at date: Date) async throws -> Bool {
        try await operate("pauses '\(subscription)'") { try await $0.pause(subscription, at: date) }
    }

    /// Ends the pause of a subscription.
    public func resume(_ subscription: String) async throws -> Bool {
        try await operate("resumes '\(subscription)'") { try await $0.resume(subscription) }
    }

    /// Removes old events and records.
    public func prune(_ request: PruneRequest) async throws -> Int {
        try await write("prunes") { server in
            server.watch?.notePruning(request)
            return try await server.memory.prune(request)
        }
    }

    /// Returns the position up to which events were removed.
    public func prunedPosition() async throws -> Int64 {
        try await read { try await $0.prunedPosition() }
    }

    /// Returns the numbers of pending deliveries and of dead letters.
    public func deliveryStatistics() async throws -> DeliveryStatistics {
        try await read { try await $0.deliveryStatistics() }
    }
}

extension ChangeSet {
    /// The changes in words.
    fileprivate var summary: String {
        let entities = writes.map { "\($0.document.reference)" } + deletions.map { "the deletion of \($0.reference)" }
        let parts = entities.prefix(4) + (entities.count > 4 ? ["\(entities.count - 4) more"] : [])
        let names = events.map(\.name)
        return "commits " + (parts.isEmpty ? "" : parts.joined(separator: ", ") + "; ")
            + (names.isEmpty ? "no events" : "events \(names.joined(separator: ", "))")
    }
}
#endif
