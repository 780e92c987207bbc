// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import Foundation
import HeadraceClient
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceInspector
import HeadraceStorage
import Synchronization

/// The live queries of a server: equal queries of equal principals are evaluated together.
final class LiveValues: Sendable {
    private struct Key: Hashable {
        let query: ObjectIdentifier
        let json: Data
        let principalID: String?
    }

    private let store: any ObservableStore
    private let evaluations = Mutex<[Key: [Evaluation]]>([:])

    init(of store: any ObservableStore) {
        self.store = store
    }

    /// Returns an event with the current value of `query`, and an event with each new value.
    ///
    /// Each value is at least as new as the call, and as the values before. A slow reader receives only the last of the values that it
    /// has missed.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - lastID: The ID of the event that the client has; if it has the current value, the first element is `nil`.
    ///   - value: Evaluates the query, and returns the JSON of its value.
    /// - Returns: The events. They fail with the error of `value`.
    /// - Throws: `EncodingError` if the query can't be encoded.
    func events(
        of query: some CQDQuery & Encodable,
        after lastID: String?,
        value: @escaping @Sendable () async throws -> Data
    ) throws -> AsyncThrowingStream<ServerSentEvent?, any Error> {
        let principal = MessageContext.currentPrincipal
        let key = Key(
            query: ObjectIdentifier(type(of: query)), json: try MessageJSON.encode(query),
            principalID: principal?.principalID)
        return evaluations.withLock { evaluations in
            for evaluation in evaluations[key, default: []] where Self.areEqual(principal, evaluation.principal) {
                if let events = evaluation.join(after: lastID) { return events }
            }
            let evaluation = Evaluation(for: principal, of: store, value)
            evaluations[key, default: []].append(evaluation)
            let events = evaluation.join(after: lastID) ?? AsyncThrowingStream { $0.finish() }
            Task { [weak self] in
                await evaluation.run()
                self?.remove(evaluation, of: key)
            }
            return events
        }
    }

    /// Number of live queries that are evaluated.
    var count: Int { evaluations.withLock { $0.values.reduce(0) { $0 + $1.count } } }

    private func remove(_ evaluation: Evaluation, of key: Key) {
        evaluations.withLock { evaluations in
            evaluations[key]?.removeAll { $0 === evaluation }
            if evaluations[key]?.isEmpty == true { evaluations[key] = nil }
        }
    }

    /// Whether both principals have the same rights; `false` if they can't be compared.
    private static func areEqual(_ first: (any Principal)?, _ second: (any Principal)?) -> Bool {
        guard let first, let second else { return first == nil && second == nil }
        guard let comparable = first as? any Equatable else { return false }
        return isEqual(comparable, to: second)
    }

    private static func isEqual<Value: Equatable>(_ value: Value, to other: Any) -> Bool { other as? Value == value }
}

/// A query that is evaluated again whenever a commit has changed what it has read.
private final class Evaluation: Sendable {
    typealias Events = AsyncThrowingStream<ServerSentEvent?, any Error>

    private struct Reader {
        let continuation: Events.Continuation

        /// Number of evaluations that had begun when the reader came: their values can be older than others that it has seen.
        let begun: Int

        /// The ID of the last event that the reader has.
        var lastID: String?

        /// Whether the reader has an answer.
        var isAnswered = false
    }

    private struct State {
        var readers: [Int: Reader] = [:]
        var lastReader = 0
        var begun = 0
        var json: Data?

        /// Number of different values.
        var number = 0
        var isOver = false
    }

    let principal: (any Principal)?
    private let store: any ObservableStore
    private let value: @Sendable () async throws -> Data

    /// Distinguishes the IDs of this evaluation from all others.
    private let run = UUID.version7().uuidString.lowercased()
    private let state = Mutex(State())

    /// The reasons for an evaluation: a new reader, or a commit.
    private let (reasons, reason) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    init(
        for principal: (any Principal)?,
        of store: any ObservableStore,
        _ value: @escaping @Sendable () async throws -> Data
    ) {
        self.principal = principal
        self.store = store
        self.value = value
    }

    /// Adds a reader.
    ///
    /// - Returns: Its events; `nil` if the evaluation is over.
    func join(after lastID: String?) -> Events? {
        let (events, continuation) = Events.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number: Int? = state.withLock { state in
            if state.isOver { return nil }
            state.lastReader += 1
            state.readers[state.lastReader] = Reader(continuation: continuation, begun: state.begun, lastID: lastID)
            return state.lastReader
        }
        guard let number else { return nil }
        continuation.onTermination = { [weak self] _ in self?.leave(number) }
        reason.yield()
        return events
    }

    private func leave(_ number: Int) {
        let isOver = state.withLock { state in
            state.readers[number] = nil
            state.isOver = state.isOver || state.readers.isEmpty
            return state.isOver
        }
        if isOver { reason.finish() }
    }

    /// Evaluates the query until it fails, or until no reader is left.
    func run() async {
        var waiting: Task<Void, Never>?
        defer { waiting?.cancel() }
        for await _ in reasons {
            waiting?.cancel()
            do {
                let begun = state.withLock { state in
                    state.begun += 1
                    return state.begun
                }
                let (json, reads) = try await MessageContext.withoutCause(principal) {
                    try await store.logging { _ in try await value() }
                }
                publish(json, of: begun)
                waiting = Task { [store, reason] in
                    if (try? await store.commitFeed.waitForChange(of: reads)) != nil { reason.yield() }
                }
            } catch {
                end(error)
            }
        }
    }

    /// Gives `json` to the readers who came before its evaluation has begun.
    private func publish(_ json: Data, of begun: Int) {
        state.withLock { state in
            if state.json != json {
                state.json = json
                state.number += 1
            }
            let id = "\(run)-\(state.number)"
            let event = ServerSentEvent(data: String(decoding: json, as: UTF8.self), id: id)
            for (number, reader) in state.readers where reader.begun < begun {
                if reader.lastID != id {
                    reader.continuation.yield(event)
                } else if !reader.isAnswered {
                    reader.continuation.yield(nil)
                }
                state.readers[number]?.lastID = id
                state.readers[number]?.isAnswered = true
            }
        }
    }

    private func end(_ error: any Error) {
        let readers = state.withLock { state in
            state.isOver = true
            return state.readers.values.map(\.continuation)
        }
        reason.finish()
        for reader in readers { reader.finish(throwing: error) }
    }
}

extension CommitFeed {
    /// Returns when a commit has changed a part of the store to which `reads` belong.
    ///
    /// A query that has read nothing through a context may depend on anything.
    fileprivate func waitForChange(of reads: ObservedReads) async throws {
        if reads.subjects.isEmpty { return try await waitForCommit(after: reads.position) }
        try await waitForChange(of: reads.subjects, after: reads.position)
    }
}
#endif
