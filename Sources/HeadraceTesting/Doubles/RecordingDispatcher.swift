// SPDX-License-Identifier: Apache-2.0

public import HeadraceCommands
public import HeadraceCore
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

/// Requirements on the dispatched messages. They throw, so that they work with every test framework.
extension RecordingDispatcher {
    /// Returns the dispatched messages of `type` in order.
    public func dispatched<Message: Sendable>(_ type: Message.Type) -> [Message] {
        messages.compactMap { $0 as? Message }
    }

    /// Returns the only dispatched message of `type`.
    ///
    /// - Throws: ``RecordingDispatcherError`` with the code `RecordingDispatcherError.Code.unmetRequirement` unless exactly
    ///   one message of `type` was dispatched. The error lists all dispatched messages.
    public func requireOne<Message: Sendable>(_ type: Message.Type) throws -> Message {
        let found = dispatched(type)
        guard let message = found.first, found.count == 1 else {
            throw RecordingDispatcherError.unmet("exactly one '\(String(naming: type))'", messages)
        }
        return message
    }

    /// Requires that exactly the messages of these types were dispatched, in this order.
    ///
    /// Without types, it requires that no message was dispatched.
    ///
    /// - Throws: ``RecordingDispatcherError`` with the code `RecordingDispatcherError.Code.unmetRequirement`. The error
    ///   lists all dispatched messages.
    public func requireDispatched(_ types: any Sendable.Type...) throws {
        let actual = messages.map { ObjectIdentifier(Swift.type(of: $0)) }
        if actual != types.map({ ObjectIdentifier($0) }) {
            let names = types.map { String(naming: $0) }.joined(separator: ", ")
            throw RecordingDispatcherError.unmet("exactly [\(names)], in this order", messages)
        }
    }

    /// Requires that exactly these messages were dispatched, in this order.
    ///
    /// ```swift
    /// try dispatcher.requireDispatched(GetInfoQuery(subject: "Programming"), AddSomethingCommand(name: "one"))
    /// ```
    ///
    /// - Throws: ``RecordingDispatcherError`` with the code `RecordingDispatcherError.Code.unmetRequirement`. The error
    ///   lists all dispatched messages.
    public func requireDispatched<First: Sendable & Equatable, each Other: Sendable & Equatable>(
        _ first: First,
        _ others: repeat each Other
    ) throws {
        var required = [RequiredMessage(first)]
        repeat required.append(RequiredMessage(each others))
        let messages = messages
        if messages.count != required.count || !zip(required, messages).allSatisfy({ $0.isEqual($1) }) {
            let list = required.map(\.text).joined(separator: ", ")
            throw RecordingDispatcherError.unmet("exactly [\(list)], in this order", messages)
        }
    }
}

/// A required message of any type.
private struct RequiredMessage {
    let text: String
    let isEqual: (any Sendable) -> Bool

    init<Message: Sendable & Equatable>(_ message: Message) {
        text = String(reflecting: message)
        isEqual = { $0 as? Message == message }
    }
}

/// An error of a ``RecordingDispatcher``.
///
/// Errors of stubs aren't wrapped.
public struct RecordingDispatcherError: CodedError {
    /// Whether a stub was missing, or a requirement wasn't met.
    public typealias Code = ErrorCode<RecordingDispatcherError>

    /// The reason of the error.
    public let code: Code

    /// A description of the error and its fix.
    public let message: String

    static func noStub(for message: Any.Type, answer: String) -> RecordingDispatcherError {
        RecordingDispatcherError(
            code: .noStub,
            message: """
                '\(String(naming: message))' was dispatched without a stub. To fix, call \
                'dispatcher.stub(\(message).self) \(answer)' first.
                """
        )
    }

    static func unmet(_ requirement: String, _ messages: [any Sendable]) -> RecordingDispatcherError {
        let texts = messages.map { String(reflecting: $0).withoutTypeAddresses }
        let list = texts.enumerated().map { "\n  \($0 + 1). \($1)" }.joined()
        return RecordingDispatcherError(
            code: .unmetRequirement,
            message: """
                Required: \(requirement). Dispatched:\(messages.isEmpty ? " nothing." : list)
                """
        )
    }
}

extension ErrorCode<RecordingDispatcherError> {
    /// A query, or a command with a result, was dispatched without a stub.
    public static var noStub: Self { Self() }

    /// The dispatched messages differ from the required messages.
    public static var unmetRequirement: Self { Self() }
}
