// SPDX-License-Identifier: Apache-2.0

public import Foundation
package import HeadraceCore
package import HeadraceDomain
package import HeadraceStorage
import Synchronization

/// Carries out stored commands of one type, which is erased.
package struct CommandRoute: Sendable {
    let type: any DurableCommand.Type

    /// The versions that the route can read; `nil` if the migrations of the type are invalid.
    let versions: ClosedRange<Int>?

    /// Whether the operation only changes the store, so that the relay can repeat it at once after a conflict.
    let isRepeatable: Bool

    /// Throws if the content of a message doesn't decode.
    private let check: @Sendable (ScheduledMessage) throws -> Void

    private let operation: nonisolated(nonsending) @Sendable (ScheduledMessage, DeliveryRun) async throws -> Void

    /// Creates a route of commands, whose `operation` runs in a unit of work on the store.
    package init<Command: DurableCommand>(
        isRepeatable: Bool = false,
        _ operation: nonisolated(nonsending) @escaping @Sendable (Command, EntityContext) async throws -> Void
    ) {
        self.init(isRepeatable: isRepeatable) { (command: Command, run) in
            try await run.handle(command) { context in try await operation(command, context) }
        }
    }

    /// Creates a route of commands with an `operation` that runs several units of work, one after the other.
    package init<Command: DurableCommand>(
        unitsOfWork operation: nonisolated(nonsending) @escaping @Sendable (Command, UnitsOfWork) async throws -> Void
    ) {
        self.init(isRepeatable: true) { (command: Command, run) in
            try await run.handle(command, by: operation)
        }
    }

    private init<Command: DurableCommand>(
        isRepeatable: Bool,
        handling operation: nonisolated(nonsending) @escaping @Sendable (Command, DeliveryRun) async throws -> Void
    ) {
        type = Command.self
        versions = Command.decodableVersions
        self.isRepeatable = isRepeatable
        check = { _ = try Command.decode($0.json, version: $0.version) }
        self.operation = { message, run in
            let command: Command
            do {
                command = try Command.decode(message.json, version: message.version)
            } catch {
                throw Undeliverable(
                    reason: """
                        '\(message.name)', stored with version \(message.version), does not decode as \
                        '\(String(naming: Command.self))': \(error). To fix, raise 'commandVersion' and add a migration, \
                        or make the type decode the stored JSON, and replay the dead letter.
                        """
                )
            }
            try await operation(command, run)
        }
    }

    /// Carries out the command of `message` as the handler of `run`.
    ///
    /// - Throws: ``UnknownMessage`` if another version of the program has stored the command, and this version can't read it;
    ///   ``Undeliverable``; the error of the operation.
    nonisolated(nonsending) func carryOut(_ message: ScheduledMessage, in run: DeliveryRun) async throws {
        if versions?.contains(message.version) != true { throw UnknownMessage(versionOf: message, route: self) }
        try await operation(message, run)
    }

    /// The error of decoding `message`; `nil` if it decodes, or if another version of the program has stored it.
    func decodingFailure(of message: ScheduledMessage) -> (any Error)? {
        if versions?.contains(message.version) != true { return nil }
        do {
            try check(message)
            return nil
        } catch {
            return error
        }
    }

    /// The mistake in the declaration of the type, if there is one.
    var mistake: String? {
        if versions != nil { return nil }
        return """
            The migrations of '\(String(naming: type))' start from the versions \(type.commandMigrations.map(\.version)) and \
            must lead, version by version, to its version \(type.commandVersion). To fix, order them and fill the gaps.
            """
    }
}

extension UnknownMessage {
    fileprivate init(versionOf message: ScheduledMessage, route: CommandRoute) {
        let isNewer = message.version > route.type.commandVersion
        self.init(
            name: message.kind.key(message.name),
            version: message.version,
            reason: """
                '\(message.name)' was stored with version \(message.version); '\(String(naming: route.type))' knows \
                \(route.type.commandVersion). To fix, \
                \(isNewer
                    ? "run the version of the program that wrote it, or a later one"
                    : "add 'JSONMigration(from: \(message.version))' to its 'commandMigrations'"), and replay the dead letter.
                """
        )
    }
}

/// The handling of one delivery: a unit of work within the middleware of the relay.
struct DeliveryRun {
    let chain: MiddlewareChain
    let messageContext: MessageContext
    let delegator: any DomainEventDelegator
    let entityContext: EntityContext

    /// Runs `operation` in a unit of work, as the handler of `message`.
    nonisolated(nonsending) func handle<Message: Sendable>(
        _ message: Message,
        _ operation: nonisolated(nonsending) @escaping (EntityContext) async throws -> Void
    ) async throws {
        let work = UnitOfWork(delegator: delegator, context: entityContext)
        if chain.isEmpty { return try await work.execute(operation) }
        try await chain.run(message, in: messageContext) { _ in try await work.execute(operation) }
    }

    /// Runs `operation`, as the handler of `command`, with the units of work of the delivery.
    nonisolated(nonsending) func handle<Command: DurableCommand>(
        _ command: Command,
        by operation: nonisolated(nonsending) @escaping (Command, UnitsOfWork) async throws -> Void
    ) async throws {
        let units = UnitsOfWork(chain: chain, delegator: delegator, context: entityContext)
        if chain.isEmpty { return try await operation(command, units) }
        try await chain.run(command, in: messageContext) { command in try await operation(command, units) }
    }
}

/// The units of work of one delivery, of which the last also settles it.
///
/// The store doesn't fence the earlier units of work. Each must find out whether another handler of the delivery was faster, for
/// example because an entity has changed.
package struct UnitsOfWork {
    /// The middleware and the observers of the relay, for further messages of the operation.
    package let chain: MiddlewareChain

    private let delegator: any DomainEventDelegator
    private let context: EntityContext
    private let settlement: Settlement?

    init(chain: MiddlewareChain, delegator: any DomainEventDelegator, context: EntityContext) {
        self.chain = chain
        self.delegator = delegator
        self.context = context
        settlement = context.relayPart.settlement
    }

    /// The document of the entity that `EntityContext.keep(_:)` has named, if the last unit of work has stored it.
    package var keptDocument: StoredDocument? { context.keptDocument }

    /// Runs `body` in a unit of work.
    ///
    /// - Parameter body: Returns whether it is the last; then its commit settles the delivery.
    /// - Returns: The result of `body`.
    /// - Throws: The errors of ``HeadraceDomain/UnitOfWork/execute(_:)``.
    @discardableResult
    package nonisolated(nonsending) func execute(
        _ body: nonisolated(nonsending) (EntityContext) async throws -> Bool
    ) async throws -> Bool {
        context.relayPart.settlement = nil
        return try await UnitOfWork(delegator: delegator, context: context).execute { context in
            let isLast = try await body(context)
            if isLast { context.relayPart.settlement = settlement }
            return isLast
        }
    }
}

/// A delivery that can't succeed in any attempt.
package struct Undeliverable: Error {
    let reason: String

    /// Creates an error; `reason` becomes the reason of a dead letter.
    package init(reason: String) {
        self.reason = reason
    }
}

/// A message that this relay doesn't know; a relay of another version of the program may know it.
package struct UnknownMessage: Error {
    let name: String
    let version: Int
    let reason: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - name: The name in ``HeadraceStorage/LeaseRequest/known``.
    ///   - version: The stored version.
    ///   - reason: The reason, and the fix if no relay knows the message.
    package init(name: String, version: Int, reason: String) {
        self.name = name
        self.version = version
        self.reason = reason
    }
}

extension Relay {
    /// The messages that this relay knows, by subscription.
    ///
    /// A message is unknown if and only if it is not in the result.
    func knownMessages() -> [String: [KnownMessage]] {
        let events = registrar.events
        var known: [String: [KnownMessage]] = [:]
        for subscription in registrar.subscriptionNames {
            known[subscription] = registrar.eventNames(of: subscription).sorted().compactMap { name in
                events.versions(of: name).map { KnownMessage(name: name, versions: $0) }
            }
        }
        let scheduledEvents = events.names.compactMap { name in
            events.versions(of: name).map { (ScheduledMessage.Kind.event.key(name), $0) }
        }
        let commands = commands.sorted { $0.key < $1.key }.compactMap { name, route in
            route.versions.map { (ScheduledMessage.Kind.command.key(name), $0) }
        }
        known[ScheduledMessage.subscription] = (scheduledEvents + commands).map(KnownMessage.init)
        for (subscription, repeatable) in repeatable.sorted(by: { $0.key < $1.key }) {
            guard let states = repeatable.known else { continue }
            known[subscription, default: []].append(states)
            known[ScheduledMessage.subscription]?.append(states)
        }
        return known
    }
}

extension ScheduledMessage.Kind {
    /// The name of a message of this kind in ``HeadraceStorage/LeaseRequest/known``; a command and an event may share a
    /// name.
    func key(_ name: String) -> String {
        "\(rawValue) \(name)"
    }
}

/// A subscription whose handlers only change the store, so that the relay repeats them at once after a conflict.
package struct RepeatableSubscription: Sendable {
    let type: any SendableMetatype.Type
    let known: KnownMessage?
    private let eventNames: Set<String>

    /// Declares a subscription.
    ///
    /// - Parameters:
    ///   - type: The type that declares the subscription.
    ///   - known: The message that stands for the states that the handlers can read; `nil` if the declaration is invalid.
    ///   - eventNames: The names of the events that the type reacts to.
    package init(type: any SendableMetatype.Type, known: KnownMessage?, eventNames: Set<String>) {
        self.type = type
        self.known = known
        self.eventNames = eventNames
    }

    /// The mistake of a handler that has the name of a process or workflow and handles another event; `nil` if there is none.
    ///
    /// The relay would repeat it, as it repeats a reaction that only changes the store.
    func mistake(named name: String, handled: Set<String>) -> String? {
        guard let event = handled.subtracting(eventNames).min() else { return nil }
        return """
            '\(String(naming: type))' has the name '\(name)', which is also the subscriptionName of a handler of \
            '\(event)'. To fix, give the handler a unique name.
            """
    }

    /// The mistake of two types with one name.
    package static func mistake(_ one: Any.Type, _ other: Any.Type, _ name: String) -> String {
        """
        '\(String(naming: one))' and '\(String(naming: other))' both have the name '\(name)'. To fix, give each type a unique \
        name.
        """
    }
}

extension Relay {
    /// Number of times that a reaction runs in one attempt if other writers change its process meanwhile.
    static let reactionLimit = 16

    /// Whether the handling of `delivery` has failed because another writer was faster, and can be repeated at once.
    func isRepeatable(_ delivery: Delivery, after result: HandlingResult) -> Bool {
        guard case .failed(let error as StoreError) = result, !Task.isCancelled,
            error.code == .versionConflict || error.code == .alreadyExists
        else { return false }
        if case .scheduled(let message) = delivery.content {
            return message.kind == .command && route(of: message.name)?.isRepeatable == true
        }
        return repeatable[delivery.subscription] != nil
    }
}

/// The delivery that the current task handles, for use in a handler.
///
/// ```swift
/// if DeliveryContext.current?.isReplay != true { try await mail.send(receipt) }
/// ```
public struct DeliveryContext: Sendable {
    /// The name of the subscription.
    public let subscription: String

    /// The identifier of the event or of the scheduled message.
    ///
    /// It is the same in each attempt, so it can serve as an idempotency key for other systems.
    public let messageID: UUID

    /// Number of the attempt, counting from 1.
    ///
    /// The first attempt doesn't count if it ends with its process: then the next attempt has the number 1 again.
    public let attempt: Int

    /// Whether the subscription is being replayed and has already received the event, so that it can rebuild its data.
    public let isReplay: Bool

    /// The position of the event in the log; `nil` for a scheduled message.
    public let position: Int64?

    /// The time at which the event was recorded, or the scheduled message became due.
    public let date: Date

    /// The remark of the process that handles the delivery.
    package let remark = DeliveryRemark()

    /// The delivery that this task handles, or `nil` outside of a relay's handler.
    @TaskLocal public static var current: DeliveryContext?
}

/// The reaction of a process to a delivery, for an inspector.
package final class DeliveryRemark: Sendable {
    /// The reaction.
    package struct Content: Sendable {
        /// The name of the process.
        package let process: String

        /// The stored text of the process's key.
        ///
        /// It can be confidential.
        package let key: String

        /// The steps of the process, or the reason why it ignores the message.
        package let text: String

        /// Creates a reaction.
        package init(process: String, key: String, text: String) {
            self.process = process
            self.key = key
            self.text = text
        }
    }

    private let value = Mutex<Content?>(nil)

    package init() {}

    /// The reaction; `nil` if no process has handled the delivery.
    package var content: Content? { value.withLock { $0 } }

    /// Lets an inspector show `content` for the delivery.
    package func set(_ content: Content) {
        value.withLock { $0 = content }
    }
}
