// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
public import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import Logging

/// Handles events and time-outs of the processes of one type, in the unit of work of a delivery.
enum ProcessRunner<Process: DurableProcess> {
    /// The key of the state's version in ``HeadraceStorage/LeaseRequest/known``.
    static var stateKey: String { "process \(Process.processName)" }

    /// Reacts to `event`.
    ///
    /// - Throws: ``UnknownMessage`` if another version of the program has stored the state, and this version can't read it;
    ///   ``Undeliverable``; ``ProcessError``; ``HeadraceStorage/StoreError``; the errors of the reaction.
    static nonisolated(nonsending) func handle(_ event: any DurableDomainEvent, in context: EntityContext) async throws
    {
        guard let (reaction, key) = ProcessReaction<Process>.find(for: event) else { return }
        guard let delivery = DeliveryContext.current else { throw ProcessError.notDelivered(Process.self) }
        let storageKey = key.storageKey
        let name = type(of: event).eventName
        // A replay would send the commands again.
        if delivery.isReplay { return ignore(name, storageKey, "it is replayed") }
        let id = StoredProcess.id(of: Process.processName, key: storageKey)
        let now = SystemValues.currentDate
        guard let stored = try await context.find(StoredProcess.self, id: id) else {
            if !reaction.starts { return ignore(name, storageKey, "no process has the key") }
            var process = Process(key: key)
            let result = try reaction.react(&process, to: event, at: now)
            let stored = try StoredProcess(process, key: storageKey, startedAt: now)
            context.insert(stored)
            return try apply(result, process, to: stored, from: "new", in: context)
        }
        if let endedAt = stored.endedAt {
            stored.lateCount += 1
            return ignore(name, storageKey, "the process has ended at \(endedAt) in the step '\(stored.step)'")
        }
        var process = try read(stored)
        let result = try reaction.react(&process, to: event, at: now)
        try apply(result, process, to: stored, from: stored.step, in: context)
    }

    /// Reacts to a time-out.
    ///
    /// - Throws: The same errors as ``handle(_:in:)``.
    static nonisolated(nonsending) func handle(
        _ timeout: Process.Timeout,
        by reaction: ProcessReaction<Process>,
        _ message: FireTimeout,
        in context: EntityContext
    ) async throws {
        let id = StoredProcess.id(of: Process.processName, key: message.key)
        let stored = try await context.find(StoredProcess.self, id: id)
        // The message of a time-out that was cancelled or set again, or of a process that has ended, is obsolete.
        guard let stored, stored.endedAt == nil, stored.timeouts[timeout.rawValue]?.message == message.message else {
            return ignore(timeout.rawValue, message.key, "the time-out is no longer set")
        }
        var process = try read(stored)
        // Removed and not cancelled, because the message is being handled.
        stored.timeouts[timeout.rawValue] = nil
        let result = try reaction.react(&process, to: nil, at: SystemValues.currentDate)
        try apply(result, process, to: stored, from: stored.step, in: context)
    }

    private static func read(_ stored: StoredProcess) throws -> Process {
        if Process.decodableVersions?.contains(stored.version) != true {
            let isNewer = stored.version > Process.processVersion
            throw UnknownMessage(
                name: stateKey,
                version: stored.version,
                reason: """
                    The process '\(stored.id)' was stored with version \(stored.version); '\(String(naming: Process.self))' \
                    knows \(Process.processVersion). To fix, \
                    \(isNewer
                        ? "run the version of the program that wrote it, or a later one"
                        : "add 'JSONMigration(from: \(stored.version))' to its 'processMigrations'"), and replay the dead letter.
                    """
            )
        }
        do {
            return try stored.read(as: Process.self)
        } catch {
            throw Undeliverable(
                reason: """
                    The state of the process '\(stored.id)', stored with version \(stored.version), does not decode as \
                    '\(String(naming: Process.self))': \(error). To fix, raise 'processVersion' and add a migration, or make the \
                    type decode the stored JSON, and replay the dead letter.
                    """
            )
        }
    }

    /// Adds the new state, the commands, and the time-outs to the unit of work.
    private static func apply(
        _ result: ProcessContext<Process>,
        _ process: Process,
        to stored: StoredProcess,
        from step: String,
        in context: EntityContext
    ) throws {
        try stored.store(process)
        stored.handledCount += 1
        for command in result.commands { try context.send(command) }
        for (timeout, date) in result.timeouts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            if let earlier = stored.timeouts.removeValue(forKey: timeout.rawValue) {
                context.cancelScheduled(earlier.message)
            }
            if let date, !result.isEnded {
                let start = result.delayed.contains(timeout) ? result.now : nil
                try set(timeout.rawValue, at: date, since: start, of: stored, in: context)
            }
        }
        if result.isEnded {
            let left = stored.timeouts.sorted { $0.key < $1.key }.map(\.value)
            for timeout in left { context.cancelScheduled(timeout.message) }
            stored.timeouts = [:]
            stored.endedAt = result.now
        }
        note("\(step) → \(stored.step)\(result.isEnded ? ", ended" : "")", stored.key)
        Logger.current.debug(
            "A process has reacted",
            metadata: metadata(stored.key).merging(["headrace.process.step": "\(stored.step)"]) { $1 }
        )
    }

    private static func set(
        _ timeout: String,
        at date: Date,
        since start: Date?,
        of stored: StoredProcess,
        in context: EntityContext
    ) throws {
        let id = UUID.version7()
        let message = FireTimeout(key: stored.key, message: id)
        let name = FireTimeout.name(of: Process.processName, timeout)
        _ = try context.schedule(message, named: name, at: date, since: start, id: id)
        stored.timeouts[timeout] = StoredProcess.Timeout(message: id, due: date)
    }

    private static func ignore(_ name: String, _ key: String, _ reason: String) {
        note("'\(name)' ignored, because \(reason)", key)
        Logger.current.notice(
            "A process ignores a message",
            metadata: metadata(key).merging(["headrace.process.message": "\(name)", "reason": "\(reason)"]) { $1 }
        )
    }

    /// Lets an inspector show `text` for the delivery.
    private static func note(_ text: String, _ key: String) {
        DeliveryContext.current?.remark.set(
            DeliveryRemark.Content(process: Process.processName, key: key, text: text))
    }

    private static func metadata(_ key: String) -> Logger.Metadata {
        ["headrace.process": "\(Process.processName)", "headrace.process.key": "\(key)"]
    }
}

/// The message of a time-out.
///
/// It is stored under a name for each time-out of each process, so a relay leaves the time-outs that it doesn't know to other relays.
struct FireTimeout: DurableCommand {
    static let commandName = "headrace.process"

    /// The stored text of the process's key.
    let key: String

    /// The identifier of the message.
    ///
    /// A message with another identifier than the stored process has is obsolete.
    let message: UUID

    static func name(of process: String, _ timeout: String) -> String { "\(commandName)/\(process)/\(timeout)" }
}

/// Passes the events of one type to the processes of one type, in the unit of work of their delivery.
struct ProcessEventHandler<Process: DurableProcess, Event: DurableDomainEvent>: HandlesDurableDomainEvent, Resolvable {
    private let context: EntityContext

    static var subscriptionName: String { Process.processName }

    static var dependencies: Dependencies { Dependencies().on(EntityContext.self) }

    init(scope: borrowing any DependencyResolutionScope) {
        context = scope.resolve()
    }

    nonisolated(nonsending) func handle(_ event: Event) async throws {
        try await ProcessRunner<Process>.handle(event, in: context)
    }
}

// The parts of a process that a domain and a relay register.
extension DurableProcess {
    /// The handlers of the events of the process.
    static var eventHandlers: [any (HandlesDomainEvent & Resolvable).Type] {
        reactions.compactMap { reaction in
            if case .event(let handler, _) = reaction.trigger { handler } else { nil }
        }
    }

    /// The mistakes in the declaration.
    static var mistakes: [String] {
        let type = String(naming: Self.self)
        var mistakes: [String] = []
        if !(1...200).contains(processName.utf8.count) || processName.contains("/") {
            mistakes.append(
                """
                '\(type)' has the processName '\(processName)'. To fix, give it a name of 1 to 200 bytes without a slash.
                """
            )
        }
        if decodableVersions == nil {
            mistakes.append(
                """
                The migrations of '\(type)' start from the versions \(processMigrations.map(\.version)) and must lead, version \
                by version, to its version \(processVersion). To fix, order them and fill the gaps.
                """
            )
        }
        if !reactions.contains(where: \.starts) {
            mistakes.append("No event starts '\(type)'. To fix, add '.start(on: …)' to its 'reactions'.")
        }
        let events = counts(eventHandlers.map { String(naming: event(of: $0)) })
        for (event, count) in events.sorted(by: { $0.key < $1.key }) where count > 1 {
            mistakes.append("'\(type)' has \(count) reactions to '\(event)'. To fix, remove all but one.")
        }
        let handled = counts(
            reactions.compactMap { reaction in
                if case .timeout(let timeout) = reaction.trigger { timeout.rawValue } else { nil }
            }
        )
        for (timeout, count) in handled.sorted(by: { $0.key < $1.key }) where count > 1 {
            mistakes.append(
                "'\(type)' has \(count) reactions to the time-out '\(timeout)'. To fix, remove all but one.")
        }
        for timeout in Timeout.allCases where handled[timeout.rawValue] == nil {
            mistakes.append(
                """
                '\(type)' has no reaction to the time-out '\(timeout.rawValue)'. To fix, add '.onTimeout(.\(timeout.rawValue))' \
                to its 'reactions'.
                """
            )
        }
        return mistakes
    }

    private static func event<Handler: HandlesDomainEvent>(of handler: Handler.Type) -> Any.Type { Handler.Event.self }

    private static func counts(_ names: [String]) -> [String: Int] {
        names.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    /// Lets `relay` carry out the time-outs, and repeat the reactions after a conflict.
    static func register(in relay: Relay) {
        for mistake in mistakes { relay.note(mistake: mistake) }
        if !relay.store.schema.contains(StoredProcess.entityName) {
            relay.note(
                mistake: """
                    The store was not opened with 'StoredProcess', so it can't keep processes. To fix, add 'StoredProcess.self' \
                    to the 'entities' that the store is created with.
                    """
            )
        }
        relay.add(
            RepeatableSubscription(
                type: self,
                known: decodableVersions.map { KnownMessage(name: ProcessRunner<Self>.stateKey, versions: $0) },
                eventNames: Set(eventHandlers.compactMap { (event(of: $0) as? any DurableDomainEvent.Type)?.eventName })
            ),
            named: processName
        )
        for timeout in Timeout.allCases {
            guard let reaction = ProcessReaction<Self>.find(for: timeout) else { continue }
            let route = CommandRoute(isRepeatable: true) { (message: FireTimeout, context: EntityContext) in
                try await ProcessRunner<Self>.handle(timeout, by: reaction, message, in: context)
            }
            relay.add(route, named: FireTimeout.name(of: processName, timeout.rawValue))
        }
    }
}

extension Relay {
    /// Registers a process: its events with the registrar of the relay, and its time-outs with the relay.
    ///
    /// Call it before the relay runs, and before the first unit of work raises one of the events. `domain(store:…processes:)`
    /// does the same. ``run()`` reports mistakes in the declaration.
    public func register<Process: DurableProcess>(_ process: Process.Type) {
        for handler in process.eventHandlers { registrar.register(any: handler) }
        process.register(in: self)
    }
}

extension DomainEventHandlerRegistrar {
    fileprivate func register(any handler: any (HandlesDomainEvent & Resolvable).Type) {
        func open<Handler: HandlesDomainEvent & Resolvable>(_ handler: Handler.Type) { register(handler) }
        open(handler)
    }
}
