// SPDX-License-Identifier: Apache-2.0

import Foundation
public import HeadraceCore
public import HeadraceDomain
public import HeadraceStorage

/// Makes a command with an idempotency key take effect exactly once, and returns its first outcome each time.
///
/// ```swift
/// builder.commandQueryDispatch().standard(
///     commandHandlers: [ReserveHandler.self],
///     middleware: [RetryMiddleware(), IdempotencyMiddleware(on: store, delegator: registrar)]
/// )
///
/// try await IdempotencyMiddleware.withKey(request.headers["Idempotency-Key"]) {
///     try await dispatcher.dispatch(Reserve(article: "teapot"))
/// }
/// ```
///
/// If a program declares its domain with `domain(…)` of a `ContainerBuilder`, it names the type instead:
/// `resolvedMiddleware: [IdempotencyMiddleware.self]`.
///
/// The key is the ``IdempotentMessage/idempotencyKey`` of the command, or else the key of ``withKey(_:_:)``. Commands
/// without a key, queries, and all other messages pass through.
///
/// A command with a key is one unit of work, which its handler's units of work on the same store join. The key, the
/// command, and the outcome are stored together with the changes. So a command that fails stores nothing, and is
/// handled when it is sent again. If equal keys arrive at the same time, one command is handled, and the others wait
/// for it. Two processes may handle the same key at once: the process that commits second is rolled back and returns
/// the outcome of the first, even if it has met another error.
///
/// Within a larger unit of work, the command commits with that unit of work. If another process has committed the key
/// meanwhile, the larger unit of work fails with the retryable error `StoreError.Code.keyTaken`. If
/// the command itself fails, the larger unit of work can only roll back, even if the error is caught; see
/// ``HeadraceDomain/UnitOfWork/execute(_:)``. So a command that is sent again after a failure never takes effect twice.
///
/// Effects outside of the store, before a commit that fails, are not undone.
public struct IdempotencyMiddleware: Middleware, KeyedMiddleware {
    private let store: any DeliveryStore
    private let delegator: any DomainEventDelegator
    private let lock = KeyedLock<String>()

    @TaskLocal private static var key: String?

    /// The keys of the enclosing commands of this task.
    @TaskLocal private static var keysInUse: Set<String> = []

    /// Creates middleware that keeps keys in `store`; `delegator` delivers the events of commands to their handlers.
    public init(on store: any DeliveryStore, delegator: any DomainEventDelegator) {
        self.store = store
        self.delegator = delegator
    }

    package static func alwaysHasKey(_ command: Any.Type) -> Bool { command is any IdempotentMessage.Type }

    /// Runs `operation` with `key` for the command that it sends, or without a key if `key` is `nil`.
    ///
    /// Commands that the handler of that command sends don't have the key.
    ///
    /// - Throws: The error of `operation`.
    public static nonisolated(nonsending) func withKey<Result>(
        _ key: String?,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        try await $key.binding(key, operation)
    }

    /// Handles `message`, unless a command has already taken effect under its key.
    ///
    /// - Throws: The error of `next`; ``IdempotencyError``; the errors of ``HeadraceDomain/UnitOfWork/execute(_:)``.
    public nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        guard context.kind == .command, let key = (message as? any IdempotentMessage)?.idempotencyKey ?? Self.key else {
            return try await next(message)
        }
        guard let encodable = message as? any Encodable else {
            throw IdempotencyError.notCodable("does not conform to 'Encodable'", context)
        }
        let command = try ComparableCommand(encodable, type: context.typeName)
        guard let coding = OutcomeCoding(Output.self) else {
            throw IdempotencyError.notCodable(
                "returns '\(String(naming: Output.self))', which is not 'Codable'", context)
        }

        if Self.keysInUse.contains(key) { throw IdempotencyError.recursive(key, context) }

        return try await lock.withLock(key) {
            if let record = try await store.idempotencyRecord(for: key) {
                return try outcome(of: record, for: command, by: coding, in: context)
            }
            let entities = EntityContext(store)
            let isPart = ActiveUnitOfWork.isJoinable(by: entities)
            do {
                return try await withoutKey(besides: key) {
                    try await UnitOfWork(delegator: delegator, context: entities).execute { entities in
                        // Within a larger unit of work, the first outcome may not be stored yet.
                        if let record = entities.relayPart.idempotencyRecords.first(where: { $0.key == key }) {
                            return try outcome(of: record, for: command, by: coding, in: context)
                        }
                        let output: Output
                        do {
                            output = try await next(message)
                        } catch {
                            // The larger unit of work must start again, and then receives the first outcome.
                            if isPart, await storedRecord(for: key) != nil { throw StoreError.keyTaken(key) }
                            throw error
                        }
                        entities.relayPart.idempotencyRecords.append(
                            IdempotencyRecord(
                                key: key,
                                command: command.json,
                                outcome: try coding.encode(output),
                                date: SystemValues.currentDate
                            )
                        )
                        return output
                    }
                }
            } catch {
                // Another process may have handled the command meanwhile, which causes a conflict or an error of the
                // handler.
                if isPart { throw error }
                guard let record = await storedRecord(for: key) else { throw error }
                return try outcome(of: record, for: command, by: coding, in: context)
            }
        }
    }

    /// Returns the record of `key`; `nil` if there is none, or if the store can't be read after an error.
    private nonisolated(nonsending) func storedRecord(for key: String) async -> IdempotencyRecord? {
        do {
            return try await store.idempotencyRecord(for: key)
        } catch {
            return nil
        }
    }

    /// Runs `operation` without a key for further commands, and marks `key` as in use.
    private nonisolated(nonsending) func withoutKey<Result>(
        besides key: String,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        try await Self.$key.binding(nil) {
            try await Self.$keysInUse.binding(Self.keysInUse.union([key]), operation)
        }
    }

    private func outcome<Output>(
        of record: IdempotencyRecord,
        for command: ComparableCommand,
        by coding: OutcomeCoding<Output>,
        in context: MessageContext
    ) throws -> Output {
        guard try command.equals(record.command) else { throw IdempotencyError.differentCommand(record.key, context) }
        do {
            return try coding.decode(record.outcome)
        } catch {
            throw IdempotencyError.undecodableOutcome(record.key, as: Output.self, cause: error)
        }
    }
}

/// A command in the form in which records keep it, to compare it with them.
private struct ComparableCommand {
    let json: Data
    private let type: String
    private let durable: (any DurableCommand.Type)?

    init(_ command: any Encodable, type: String) throws {
        self.type = type
        durable = (command as? any DurableCommand).map { Swift.type(of: $0) }
        json = try Self.encode(command, type: type, version: durable?.commandVersion)
    }

    /// Whether `recorded` is the same command.
    ///
    /// A durable command of an earlier version is migrated first, because the program may have been updated since a client sent it.
    func equals(_ recorded: Data) throws -> Bool {
        if recorded == json { return true }
        guard let durable else { return false }
        return try migrated(recorded, as: durable) == json
    }

    private func migrated<Command: DurableCommand>(_ recorded: Data, as _: Command.Type) throws -> Data? {
        let stored = try DocumentCoding.decode(RecordedCommand<JSONValue>.self, from: recorded)
        let version = stored.version ?? 1
        guard stored.type == type, Command.decodableVersions?.contains(version) == true else { return nil }
        let command = try Command.decode(try DocumentCoding.encode(stored.content), version: version)
        return try Self.encode(command, type: type, version: Command.commandVersion)
    }

    private static func encode(_ command: any Encodable, type: String, version: Int?) throws -> Data {
        try DocumentCoding.encode(
            RecordedCommand(type: type, version: version == 1 ? nil : version, content: AnyContent(value: command)))
    }
}

/// The JSON of a command in a record.
///
/// Two types with equal members are different commands.
private struct RecordedCommand<Content> {
    let type: String

    /// The version of a durable command; `nil` for version 1 and for other commands.
    let version: Int?
    let content: Content
}

extension RecordedCommand: Encodable where Content: Encodable {}
extension RecordedCommand: Decodable where Content: Decodable {}

private struct AnyContent: Encodable {
    let value: any Encodable

    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

/// A command that declares its own idempotency key: however often it is sent, it takes effect once.
///
/// ```swift
/// struct PlaceOrder: CQDCommand, IdempotentMessage {
///     var orderId: UUID
///     var idempotencyKey: String { "place-order/\(orderId)" }
/// }
/// ```
///
/// A command is recognized by its JSON, in which sets and dictionaries are sorted. If your own `encode(to:)` writes the
/// elements of a set one by one, sort them first.
public protocol IdempotentMessage: Sendable, Encodable {
    /// The key: unique to this command, and equal each time that the command is sent.
    var idempotencyKey: String { get }
}
