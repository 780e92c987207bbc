// SPDX-License-Identifier: Apache-2.0

public import HeadraceCommands
import Synchronization

/// A dispatcher without handlers.
///
/// It records the dispatched messages in order, and answers them with stubs.
///
/// ```swift
/// let dispatcher = RecordingDispatcher()
/// dispatcher.stub(GetInfoQuery.self) { query in Info(subject: query.subject) }
/// dispatcher.stub(AddSomethingCommand.self) { _ in throw Offline() }
///
/// await ExampleModel(dispatcher: dispatcher).refresh()
///
/// #expect(dispatcher.dispatched(GetInfoQuery.self).map(\.subject) == ["Programming"])
/// try dispatcher.requireDispatched(GetInfoQuery.self, AddSomethingCommand.self)
/// try dispatcher.requireDispatched(GetInfoQuery(subject: "Programming"), AddSomethingCommand(name: "one"))
/// ```
///
/// A notification succeeds, and so does a command without a result that has no stub. Other messages without a stub throw a
/// ``RecordingDispatcherError`` that explains how to add the stub. Messages are recorded before they are answered, so failed
/// messages are recorded, too. All methods are thread-safe. Dispatchers share no state, so parallel tests use one dispatcher each.
///
/// To resolve the dispatcher from a container: `builder.singleton((any CommandQueryDispatcher).self) { dispatcher }`.
public final class RecordingDispatcher: CommandQueryDispatcher {
    private struct State {
        var messages: [any Sendable] = []
        var commandStubs: [ObjectIdentifier: any Sendable] = [:]
        var queryStubs: [ObjectIdentifier: any Sendable] = [:]
        var streamStubs: [ObjectIdentifier: any Sendable] = [:]
    }

    private struct CommandStub<Command: CQDCommand>: Sendable {
        let carryOut: @Sendable (Command) async throws -> Command.Output
    }

    private struct QueryStub<Query: CQDQuery>: Sendable {
        let answer: @Sendable (Query) async throws -> Query.Value
    }

    private struct StreamStub<Query: CQDStreamQuery>: Sendable {
        let values: @Sendable (Query) async throws -> [Query.Element]
    }

    private let state = Mutex(State())

    /// Creates a dispatcher without stubs.
    public init() {}

    /// All dispatched messages in order.
    ///
    /// The order of concurrently dispatched messages is undefined.
    public var messages: [any Sendable] { state.withLock { $0.messages } }

    // MARK: Stubs

    /// Handles commands of `type` with `carryOut`, on the actor of the dispatching caller.
    ///
    /// If the command has a result, `carryOut` returns it.
    ///
    /// Replaces an earlier stub.
    public func stub<Command: CQDCommand>(
        _ type: Command.Type,
        carryOut: @escaping @Sendable (Command) async throws -> Command.Output
    ) {
        state.withLock { $0.commandStubs[ObjectIdentifier(type)] = CommandStub(carryOut: carryOut) }
    }

    /// Answers queries of `type` with `answer`, on the actor of the dispatching caller.
    ///
    /// Replaces an earlier stub.
    public func stub<Query: CQDQuery>(
        _ type: Query.Type,
        answer: @escaping @Sendable (Query) async throws -> Query.Value
    ) {
        state.withLock { $0.queryStubs[ObjectIdentifier(type)] = QueryStub(answer: answer) }
    }

    /// Answers stream queries of `type` with a stream of `values`.
    ///
    /// Replaces an earlier stub.
    public func stub<Query: CQDStreamQuery>(
        _ type: Query.Type,
        values: @escaping @Sendable (Query) async throws -> [Query.Element]
    ) {
        state.withLock { $0.streamStubs[ObjectIdentifier(type)] = StreamStub(values: values) }
    }

    // MARK: CommandQueryDispatcher

    /// Records `command`, and calls its stub if it has one.
    ///
    /// - Throws: The error of the stub.
    public nonisolated(nonsending) func dispatch<T>(_ command: T) async throws where T: CQDCommand, T.Output == Void {
        let stub = record(command, \.commandStubs) as? CommandStub<T>
        try await stub?.carryOut(command)
    }

    /// Records `command`, and returns the result of its stub.
    ///
    /// - Throws: The error of the stub, or ``RecordingDispatcherError`` if the command has a result and no stub.
    @discardableResult
    public nonisolated(nonsending) func dispatch<T>(_ command: T) async throws -> T.Output where T: CQDCommand {
        if let stub = record(command, \.commandStubs) as? CommandStub<T> { return try await stub.carryOut(command) }
        guard let nothing = () as? T.Output else {
            throw RecordingDispatcherError.noStub(for: T.self, answer: "{ command in … }")
        }
        return nothing
    }

    /// Records `query`, and returns the value of its stub.
    ///
    /// - Throws: The error of the stub, or ``RecordingDispatcherError`` if the query has no stub.
    public nonisolated(nonsending) func dispatch<T>(_ query: T) async throws -> T.Value where T: CQDQuery {
        guard let stub = record(query, \.queryStubs) as? QueryStub<T> else {
            throw RecordingDispatcherError.noStub(for: T.self, answer: "{ query in … }")
        }
        return try await stub.answer(query)
    }

    /// Records `query`, and returns the values of its stub as a stream.
    ///
    /// - Throws: The error of the stub, or ``RecordingDispatcherError`` if the query has no stub.
    public nonisolated(nonsending) func dispatch<T>(_ query: T) async throws -> QueryStream<T.Element>
    where T: CQDStreamQuery {
        guard let stub = record(query, \.streamStubs) as? StreamStub<T> else {
            throw RecordingDispatcherError.noStub(for: T.self, answer: "{ query in [ … ] }")
        }
        var values = try await stub.values(query).makeIterator()
        return QueryStream { values.next() }
    }

    /// Records `notification`; no handler runs.
    public nonisolated(nonsending) func publish<T>(_ notification: T, _ policy: PublicationPolicy) async throws
    where T: CQDNotification {
        state.withLock { $0.messages.append(notification) }
    }

    /// Records `message`, and returns the stub of its type.
    private func record<Message: Sendable>(
        _ message: Message,
        _ stubs: KeyPath<State, [ObjectIdentifier: any Sendable]>
    ) -> (any Sendable)? {
        state.withLock { state in
            state.messages.append(message)
            return state[keyPath: stubs][ObjectIdentifier(Message.self)]
        }
    }
}
