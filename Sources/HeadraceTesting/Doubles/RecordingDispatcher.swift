//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCommands
import Synchronization

/// A dispatcher without handlers: it remembers what was dispatched, in order, and answers as it was told.
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
/// A command without a stub succeeds. A query without one throws ``RecordingDispatcherError``, which says how to
/// stub it. What is dispatched is recorded before it is answered, failures included. Stub and ask from any thread;
/// tests that run side by side have a dispatcher each, and share nothing.
///
/// To have it resolved: `builder.singleton((any CommandQueryDispatcher).self) { dispatcher }`.
public final class RecordingDispatcher: CommandQueryDispatcher {
    private struct State {
        var messages: [any Sendable] = []
        var commandStubs: [ObjectIdentifier: any Sendable] = [:]
        var queryStubs: [ObjectIdentifier: any Sendable] = [:]
        var streamStubs: [ObjectIdentifier: any Sendable] = [:]
    }

    private struct CommandStub<Command: CQDCommand>: Sendable {
        let carryOut: @Sendable (Command) async throws -> Void
    }

    private struct QueryStub<Query: CQDQuery>: Sendable {
        let answer: @Sendable (Query) async throws -> Query.Value
    }

    private struct StreamStub<Query: CQDStreamQuery>: Sendable {
        let values: @Sendable (Query) async throws -> [Query.Element]
    }

    private let state = Mutex(State())

    /// Creates a dispatcher to which nothing was dispatched.
    public init() {}

    /// Everything that was dispatched, in order.
    ///
    /// What is dispatched at the same moment is in one order or the other.
    public var messages: [any Sendable] { state.withLock { $0.messages } }

    // MARK: Stubs

    /// Has commands of `type` carried out by `carryOut`, in the isolation of who dispatches; the last stub counts.
    public func stub<Command: CQDCommand>(
        _ type: Command.Type,
        carryOut: @escaping @Sendable (Command) async throws -> Void
    ) {
        state.withLock { $0.commandStubs[ObjectIdentifier(type)] = CommandStub(carryOut: carryOut) }
    }

    /// Has queries of `type` answered by `answer`, in the isolation of who dispatches; the last stub counts.
    public func stub<Query: CQDQuery>(
        _ type: Query.Type,
        answer: @escaping @Sendable (Query) async throws -> Query.Value
    ) {
        state.withLock { $0.queryStubs[ObjectIdentifier(type)] = QueryStub(answer: answer) }
    }

    /// Has stream queries of `type` answered with `values`, one after the other; the last stub counts.
    public func stub<Query: CQDStreamQuery>(
        _ type: Query.Type,
        values: @escaping @Sendable (Query) async throws -> [Query.Element]
    ) {
        state.withLock { $0.streamStubs[ObjectIdentifier(type)] = StreamStub(values: values) }
    }

    // MARK: CommandQueryDispatcher

    /// Records `command` and has its stub, if there is one, carry it out.
    ///
    /// - Throws: What the stub throws.
    public nonisolated(nonsending) func dispatch<T>(_ command: T) async throws where T: CQDCommand {
        let stub = record(command, \.commandStubs) as? CommandStub<T>
        try await stub?.carryOut(command)
    }

    /// Records `query` and has its stub answer it.
    ///
    /// - Throws: What the stub throws; ``RecordingDispatcherError`` where there is none.
    public nonisolated(nonsending) func dispatch<T>(_ query: T) async throws -> T.Value where T: CQDQuery {
        guard let stub = record(query, \.queryStubs) as? QueryStub<T> else {
            throw RecordingDispatcherError.noStub(for: T.self, answer: "{ query in … }")
        }
        return try await stub.answer(query)
    }

    /// Records `query` and has its stub give the values.
    ///
    /// - Throws: What the stub throws; ``RecordingDispatcherError`` where there is none.
    public nonisolated(nonsending) func dispatch<T>(_ query: T) async throws -> QueryStream<T.Element>
    where T: CQDStreamQuery {
        guard let stub = record(query, \.streamStubs) as? StreamStub<T> else {
            throw RecordingDispatcherError.noStub(for: T.self, answer: "{ query in [ … ] }")
        }
        var values = try await stub.values(query).makeIterator()
        return QueryStream { values.next() }
    }

    /// Records `message` and gives the stub of its type.
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
