//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceStorage
import Logging
import Synchronization

/// Applies the log to one version of one projection.
final class ProjectionWorker: Sendable {
    private enum Step {
        /// Events were applied, and there may be more.
        case applied

        /// All events were applied.
        case current

        /// Another process applies the events.
        case held
    }

    let definition: ProjectionDefinition
    let idleWaiters = IdleWaiters()
    private let runtime: ProjectionRuntime
    private let lastFailure = Mutex<String?>(nil)

    init(_ definition: ProjectionDefinition, _ runtime: ProjectionRuntime) {
        self.definition = definition
        self.runtime = runtime
    }

    private var configuration: Projections.Configuration { runtime.configuration }
    private var store: any DeliveryStore { runtime.store }
    private var version: ProjectionVersion { definition.version }

    /// The reason why the last step failed; `nil` if it succeeded.
    var failure: String? { lastFailure.withLock(\.self) }

    /// Applies events until the runtime closes or the task is cancelled.
    func run() async {
        var generator = SystemValues.current.randomNumbers
        var failures = 0
        var nextRemoval = Date.distantPast
        while !Task.isCancelled, !runtime.isClosing {
            let seen = (news: runtime.news.position, interruption: runtime.interruption.position)
            let start = runtime.clock.now
            let ticket = idleWaiters.lastTicket
            do {
                let step = try await step()
                if case .applied = step { continue }
                // Before those are resumed who wait until the projection is current.
                failures = 0
                note(nil)
                if case .current = step {
                    if let ticket { idleWaiters.resume(through: ticket, nextDue: nil) }
                    if runtime.now >= nextRemoval {
                        nextRemoval = runtime.now.advanced(by: configuration.versionRetention / 4)
                        try await removeOtherVersions()
                    }
                }
                let jitter = configuration.pollJitter * Double.random(in: 0..<1, using: &generator)
                let deadline = start.advanced(by: configuration.pollInterval * (1 - jitter))
                await runtime.wait(for: runtime.news, after: seen.news, until: deadline)
            } catch is CancellationError {
                continue
            } catch {
                failures += 1
                report(error)
                let pause = configuration.backoff.pause(afterAttempt: failures, using: &generator)
                let deadline = runtime.clock.now.advanced(by: pause)
                // Not for news: new events don't help, and there may be many.
                await runtime.wait(for: runtime.interruption, after: seen.interruption, until: deadline)
            }
        }
        await release()
        idleWaiters.end()
    }

    // MARK: Applying

    private func step() async throws -> Step {
        let now = runtime.now
        let stored = try await EntityContext(store).find(StoredProjection.self, id: version.text)
        if let stored {
            if stored.isRemoved {
                let isDone = try await unlessInConflict { try await runtime.remove(version) { $0.isRemoved } }
                return isDone ? .applied : .held
            }
            if stored.isHeld(fromOtherThan: runtime.process, at: now) { return .held }
        }
        let position = stored?.position ?? 0
        let isReady = stored?.isReady ?? false
        let limit = max(1, configuration.batchLimit)
        let records = try await store.events(after: position, limit: limit)
        if records.isEmpty, let stored, isReady {
            if stored.seenAt.advanced(by: configuration.versionRetention / 4) <= now {
                try await unlessInConflict { try await keep(now) }
            }
            return .current
        }
        if !definition.skipsMissingEvents {
            try await isReady
                ? requireNextEvent(in: records, after: position)
                : requireAllEvents(in: records, after: position, isEnd: records.count < limit)
        }
        return try await apply(records, after: position, isEnd: records.count < limit, at: now)
    }

    /// Applies `records`, or those before the first one that can't be applied.
    private func apply(_ records: [EventRecord], after position: Int64, isEnd: Bool, at now: Date) async throws -> Step
    {
        var records = records[...]
        var isEnd = isEnd
        func cut(before stop: ProjectionStop) throws {
            records = records.prefix { $0.position < stop.record.position }
            isEnd = false
            if records.isEmpty { throw ProjectionError.stopped(version, stop) }
        }
        var (events, stop) = definition.decode(Array(records))
        if let stop { try cut(before: stop) }
        while true {
            do {
                let end = records.last?.position ?? position
                let isApplied = try await commit(events, from: position, to: end, isEnd: isEnd, at: now)
                return isApplied ? .applied : .held
            } catch let other as ProjectionStop {
                stop = other
                events.removeAll { $0.record.position >= other.record.position }
                try cut(before: other)
            } catch let error as StoreError where error.isWriteConflict {
                return .held
            }
        }
    }

    /// Applies `events` and stores the position, in one unit of work.
    ///
    /// - Returns: `false` if another process has applied events since the position was read.
    private func commit(
        _ events: [ProjectedEvent],
        from position: Int64,
        to end: Int64,
        isEnd: Bool,
        at now: Date
    ) async throws -> Bool {
        let becomesReady: Bool? = try await runtime.execute { context in
            let stored: StoredProjection
            if let known = try await context.find(StoredProjection.self, id: version.text) {
                stored = known
            } else {
                stored = StoredProjection(version, seenAt: now)
                context.insert(stored)
            }
            if stored.position != position || stored.isRemoved { return nil }
            try await definition.apply(events, context)
            let becomesReady = isEnd && !stored.isReady
            let duration = configuration.leaseDuration
            stored.advance(to: end, isReady: isEnd, by: runtime.process, for: duration, at: now)
            return becomesReady
        }
        if becomesReady == true {
            Logger.current.debug("A version of a projection has applied the whole log", metadata: metadata(at: end))
        }
        return becomesReady != nil
    }

    /// Stores that a process declares the version.
    private func keep(_ now: Date) async throws {
        try await runtime.execute { context in
            try await context.find(StoredProjection.self, id: version.text)?.note(seenAt: now)
        }
    }

    /// Lets another process apply events before the end of the lease.
    private func release() async {
        do {
            try await runtime.execute { context in
                let stored = try await context.find(StoredProjection.self, id: version.text)
                if let stored, stored.holder == runtime.process { stored.release() }
            }
        } catch {
            Logger.current.debug("The lease of a projection was not released", metadata: ["error": "\(error)"])
        }
    }

    // MARK: Missing events

    /// Throws if an event is missing in `records`, or after them at the end of the log.
    private func requireAllEvents(in records: [EventRecord], after position: Int64, isEnd: Bool) async throws {
        var last = position
        for record in records {
            if record.position != last + 1 {
                throw ProjectionError.missing(version, after: last, before: record.position)
            }
            last = record.position
        }
        if !isEnd { return }
        let end = try await store.deliveryStatistics().lastPosition
        if end <= last { return }
        // Events may have been committed since the records were read.
        let next = try await store.events(after: last, limit: 1).first?.position
        if next != last + 1 { throw ProjectionError.missing(version, after: last, before: next ?? end + 1) }
    }

    /// Throws if events after `position` were pruned before they were applied.
    ///
    /// A store may leave out positions, for example because a transaction was rolled back. Events are pruned by their age, so
    /// as long as the log has the event at `position`, it has those after it.
    private func requireNextEvent(in records: [EventRecord], after position: Int64) async throws {
        guard let first = records.first, first.position != position + 1 else { return }
        let last = try await store.events(after: position - 1, limit: 1).first
        if last?.position != position {
            throw ProjectionError.missing(version, after: position, before: first.position)
        }
    }

    // MARK: Other versions

    /// Removes the versions of this projection that no program needs any longer.
    private func removeOtherVersions() async throws {
        let name = version.name
        let versions = try await EntityContext(store).fetch(StoredProjection.self, where: [.equals(.name, name)])
        let active = versions.active?.version
        let limit = runtime.now.advanced(by: .zero - configuration.versionRetention)
        for other in versions where other.version != version.number && other.version != active {
            if !other.isRemoved, other.seenAt > limit { continue }
            try await unlessInConflict { try await runtime.remove(other.projectionVersion) { $0.seenAt <= limit } }
        }
    }

    // MARK: Failures

    /// Executes `body`, and returns whether no other process has written the same entities at the same time.
    @discardableResult
    private func unlessInConflict(_ body: () async throws -> Void) async throws -> Bool {
        do {
            try await body()
            return true
        } catch let error as StoreError where error.isWriteConflict {
            return false
        }
    }

    private func note(_ failure: String?) {
        lastFailure.withLock { $0 = failure }
    }

    private func report(_ error: any Error) {
        let isNew = lastFailure.withLock { last in
            defer { last = "\(error)" }
            return last != "\(error)"
        }
        let level: Logger.Level = isNew ? .warning : .debug
        var metadata = metadata()
        metadata["error"] = "\(error)"
        Logger.current.log(level: level, "A projection can't apply events and will try again", metadata: metadata)
        idleWaiters.fail(error)
        if let error = error as? StoreError, error.code == .schemaChanged { runtime.close(because: error) }
    }

    private func metadata(at position: Int64? = nil) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "headrace.projection": "\(version.name)", "headrace.projection.version": "\(version.number)",
        ]
        if let position { metadata["headrace.projection.position"] = "\(position)" }
        return metadata
    }
}

extension StoreError {
    /// Whether another process has written the same entities.
    fileprivate var isWriteConflict: Bool { code == .versionConflict || code == .alreadyExists }
}
