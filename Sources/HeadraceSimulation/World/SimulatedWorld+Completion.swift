// SPDX-License-Identifier: Apache-2.0

#if Simulations
import Foundation
import HeadraceDomain
import HeadraceProcesses
import HeadraceProjections
import HeadraceRelay
import HeadraceStorage
import HeadraceWorkflows

/// Work that may remain when a simulation ends.
public struct UnfinishedWork: Hashable, Sendable {
    private enum Kind { case deadLetters, runningProcesses, openWorkflows }

    private let kind: Kind

    /// Deliveries that have become dead letters.
    public static let deadLetters = UnfinishedWork(kind: .deadLetters)

    /// Processes that have begun and have not ended.
    public static let runningProcesses = UnfinishedWork(kind: .runningProcesses)

    /// Instances of workflows that have started and have not ended.
    public static let openWorkflows = UnfinishedWork(kind: .openWorkflows)
}

extension SimulatedWorld {
    /// Ends the faults, waits until all work is finished, and checks its results.
    ///
    /// The work is finished when no delivery is pending, except for scheduled messages whose time hasn't come; when there are no dead
    /// letters; when each ``HeadraceProcesses/DurableProcess`` and each ``HeadraceWorkflows/DurableWorkflow`` that has
    /// begun has ended; and when the projections of the nodes'
    /// containers have applied the whole log. Then all rows of these projections must equal the rows that the log gives if it is
    /// applied from its beginning, unless events were pruned.
    ///
    /// Otherwise it is a violation, which names the deliveries, processes, workflows, and rows.
    ///
    /// - Parameters:
    ///   - duration: The simulated time after which unfinished work is a violation.
    ///   - allowed: The work that may remain.
    /// - Throws: ``HeadraceProjections/ProjectionError`` if an event can't be applied; `CancellationError`.
    public func eventuallyFinishes(
        within duration: Duration = .seconds(300), allowing allowed: Set<UnfinishedWork> = []
    ) async throws {
        endFaults()
        let end = clock.now.advanced(by: duration)
        while let unfinished = try await unfinishedWork(allowing: allowed, limit: 1) {
            if clock.now >= end || !unfinished.canFinish {
                let text = try await unfinishedWork(allowing: allowed, limit: .max)?.text ?? unfinished.text
                return fail(unfinished.canFinish ? "After \(duration.seconds) without faults: \(text)" : text)
            }
            try await clock.sleep(.milliseconds(100))
        }
        if try await store.prunedPosition() == 0 { try await checkProjections() }
    }

    /// The first kind of work that isn't finished, in words, with at most `limit` items.
    private func unfinishedWork(
        allowing allowed: Set<UnfinishedWork>, limit: Int
    ) async throws -> (text: String, canFinish: Bool)? {
        if !allowed.contains(.deadLetters), let text = try await deadLetters(limit) { return (text, false) }
        if let text = try await pendingDeliveries() { return (text, true) }
        if !allowed.contains(.runningProcesses), let text = try await runningProcesses(limit) { return (text, true) }
        if !allowed.contains(.openWorkflows), let text = try await openWorkflows(limit) { return (text, true) }
        for projections in projections {
            if let text = try await projections.lag(in: store) { return (text, true) }
        }
        return nil
    }

    private func deadLetters(_ limit: Int) async throws -> String? {
        let letters = try await store.deadLetters(after: 0, of: nil, limit: limit)
        return Self.list(letters, "dead letters") { letter in
            "\(letter.content.summary) for '\(letter.subscription)' after \(letter.attempts) attempts: \(letter.reason)"
        }
    }

    private func pendingDeliveries() async throws -> String? {
        let statistics = try await store.deliveryStatistics()
        if statistics.pendingCount == 0 { return nil }
        let paused = Set(statistics.subscriptions.filter { $0.pausedSince != nil }.map(\.name))
        let pending = try await store.pendingDeliveries(PendingDeliveryRequest(limit: .max, now: clock.date))
        return Self.list(pending.filter { $0.state != .scheduled }, "pending deliveries") { delivery in
            let state = paused.contains(delivery.subscription) ? "paused" : delivery.state.rawValue
            let failure = delivery.lastFailure.map { ": \($0)" } ?? ""
            return """
                \(delivery.content.summary) for '\(delivery.subscription)', which is \(state) after \(delivery.attempts) \
                attempts\(failure)
                """
        }
    }

    private func runningProcesses(_ limit: Int) async throws -> String? {
        if !store.schema.contains(StoredProcess.entityName) { return nil }
        let processes = try await EntityContext(store).fetch(
            StoredProcess.self, where: [StoredProcess.isRunning], limit: limit)
        return Self.list(processes.sorted { $0.id < $1.id }, "running processes") {
            "'\($0.id)' in the step '\($0.step)'"
        }
    }

    private func openWorkflows(_ limit: Int) async throws -> String? {
        if !store.schema.contains(StoredWorkflow.entityName) { return nil }
        let instances = try await EntityContext(store).fetch(
            StoredWorkflow.self, where: [StoredWorkflow.isOpen], limit: limit)
        return Self.list(instances, "open workflows") { instance in
            let waits = instance.waits.map(\.title).joined(separator: ", ")
            return "'\(instance.id)', \(instance.state.rawValue), waits for: \(waits.isEmpty ? "nothing" : waits)"
        }
    }

    /// Compares the rows of the projections with those that the log gives.
    private func checkProjections() async throws {
        var names: Set<String> = []
        for projections in projections {
            let deviations = try await projections.deviations(in: store).filter {
                names.insert("\($0.projection) \($0.key)").inserted
            }
            let text = Self.list(deviations, "rows that differ from the log") { row in
                "'\(row.key)' of '\(row.projection)' is \(row.stored ?? "missing"); the log gives \(row.computed ?? "none")"
            }
            if let text { fail(text) }
        }
    }

    /// The first of `items` in words; `nil` if there are none.
    private static func list<Item>(_ items: [Item], _ name: String, _ text: (Item) -> String) -> String? {
        if items.isEmpty { return nil }
        let more = items.count > 5 ? "; and \(items.count - 5) more" : ""
        return "There are \(name): " + items.prefix(5).map(text).joined(separator: "; ") + more
    }
}

extension Delivery.Content {
    /// The message in words.
    fileprivate var summary: String {
        switch self {
        case .event(let record):
            let stream = record.event.stream.map { " of \($0)" } ?? ""
            return "the event '\(record.event.name)'\(stream) at position \(record.position)"
        case .scheduled(let message): return "the scheduled message '\(message.name)'"
        case .missing: return "a message that isn't stored"
        }
    }
}
#endif
