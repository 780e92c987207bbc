// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceStorage
import Logging
import Synchronization

/// Applies the log to one version of one projection.
final class ProjectionWorker: Sendable {
    private enum Step {
        /// Events were applied up to `position`, and there may be more.
        case applied(position: Int64, isReady: Bool)

        /// A batch of the rows of this version, which is being removed, was deleted.
        case removed

        /// All events were applied, by this program or by another program.
        case current(isHeld: Bool)

        /// Another program applies the events, and has applied those up to `position`.
        case held(position: Int64, isReady: Bool)
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
        var removal = Removal()
        while true {
            // Before the flag is read. Otherwise `close()` between the two would be missed.
            let seen = (news: runtime.news.position, interruption: runtime.interruption.position)
            if Task.isCancelled || runtime.isClosing { break }
            let start = runtime.clock.now
            let ticket = idleWaiters.lastTicket
            do {
                let step = try await step()
                // Before a waiting caller resumes, and asks for the status.
                failures = 0
                note(nil)
                switch step {
                case .applied(let position, let isReady):
                    if isReady { idleWaiters.resume(upTo: position) }
                    continue
                case .removed:
                    continue
                case .current(let isHeld):
                    if let ticket { idleWaiters.resume(through: ticket, nextDue: nil) }
                    if !isHeld, await removeOtherVersions(&removal, using: &generator) { continue }
                case .held(let position, let isReady):
                    if isReady { idleWaiters.resume(upTo: position) }
                }
                let jitter = configuration.pollJitter * Double.random(in: 0..<1, using: &generator)
                let deadline = start.advanced(by: configuration.pollInterval * (1 - jitter))
                await runtime.wait(for: runtime.news, after: seen.news, until: deadline)
            } catch is CancellationError where Task.isCancelled {
                continue
            } catch {
                failures += 1
                report(error)
                let pause = configuration.backoff.pause(afterAttempt: failures, using: &generator)
                // Each attempt begins with `keep`, so that another program doesn't remove the version meanwhile.
                let longest = max(configuration.backoff.base, configuration.versionRetention / 4)
                let deadline = runtime.clock.now.advanced(by: min(pause, longest))
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
                _ = try await runtime.removeBatch(of: version) { _ in false }
                return .removed
            }
            if stored.seenAt.advanced(by: configuration.versionRetention / 4) <= now { try await keep(now) }
            if stored.isHeld(fromOtherThan: runtime.program, at: now) {
                let isCurrent = try await isCurrent(stored)
                return isCurrent ? .current(isHeld: true) : .held(position: stored.position, isReady: stored.isReady)
            }
        }
        let position = stored?.position ?? 0
        let limit = max(1, configuration.batchLimit)
        let records = try await store.events(after: position, limit: limit)
        let isEnd = records.count < limit
        if !definition.skipsMissingEvents { try await requireAllEvents(in: records, after: position, isEnd: isEnd) }
        if records.isEmpty, stored?.isReady == true { return .current(isHeld: false) }
        return try await apply(records, after: position, isEnd: isEnd, at: now)
    }

    /// Whether another program has applied the whole log; `false` without a look if no caller waits for it.
    private func isCurrent(_ stored: StoredProjection) async throws -> Bool {
        if idleWaiters.lastTicket == nil || !stored.isReady { return false }
        return try await store.events(after: stored.position, limit: 1).isEmpty
    }

    /// Applies `records` up to the first record that can't be applied.
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
                return try await commit(events, from: position, to: end, isEnd: isEnd, at: now)
            } catch let other as ProjectionStop {
                stop = other
                events.removeAll { $0.record.position >= other.record.position }
                try cut(before: other)
            } catch let error as StoreError where error.isWriteConflict {
                return .held(position: position, isReady: false)
            } catch let error where error.isAboutRows {
                // Rows are encoded at the end of a batch. Half a batch at a time, the event with the row is found.
                if events.count > 1 {
                    events.removeLast((events.count + 1) / 2)
                    let last = events.last?.record.position ?? position
                    records = records.prefix { $0.position <= last }
                    isEnd = false
                } else if let event = events.popLast() {
                    try cut(before: ProjectionStop(record: event.record, cause: error))
                } else {
                    throw error
                }
            }
        }
    }

    /// Applies `events` and stores the position, in one unit of work.
    ///
    /// It returns ``Step/held(position:isReady:)`` if another program has applied events since the position was read.
    private func commit(
        _ events: [ProjectedEvent],
        from position: Int64,
        to end: Int64,
        isEnd: Bool,
        at now: Date
    ) async throws -> Step {
        let (step, becomesReady): (Step, Bool) = try await runtime.execute { context in
            let stored: StoredProjection
            if let known = try await context.find(StoredProjection.self, id: version.text) {
                stored = known
            } else {
                stored = StoredProjection(version, seenAt: now)
                context.insert(stored)
            }
            if stored.position != position || stored.isRemoved {
                return (.held(position: position, isReady: false), false)
            }
            try await definition.apply(events, context)
            let becomesReady = isEnd && !stored.isReady
            let duration = configuration.leaseDuration
            stored.advance(to: end, isReady: isEnd, by: runtime.program, for: duration, at: now)
            return (.applied(position: end, isReady: stored.isReady), becomesReady)
        }
        if becomesReady {
            Logger.current.debug("A version of a projection has applied the whole log", metadata: metadata(at: end))
        }
        return step
    }

    /// Stores that a program declares the version, unless another program has stored something meanwhile.
    private func keep(_ now: Date) async throws {
        do {
            try await runtime.execute { context in
                try await context.find(StoredProjection.self, id: version.text)?.note(seenAt: now)
            }
        } catch let error as StoreError where error.isWriteConflict {}
    }

    /// Lets another program apply events before the end of the lease.
    private func release() async {
        do {
            try await runtime.execute { context in
                let stored = try await context.find(StoredProjection.self, id: version.text)
                if let stored, stored.holder == runtime.program { stored.release() }
            }
        } catch {
            Logger.current.debug("The lease of a projection was not released", metadata: ["error": "\(error)"])
        }
    }

    // MARK: Missing events

    /// Throws if events after `position` were pruned before they were applied.
    ///
    /// A gap in the positions is no proof: a transaction that was rolled back can leave out positions.
    private func requireAllEvents(in records: [EventRecord], after position: Int64, isEnd: Bool) async throws {
        // Read after the events, so that it covers each event that was pruned before they were read.
        let pruned = try await store.prunedPosition()
        var last = position
        for record in records {
            if record.position != last + 1, last < pruned {
                throw ProjectionError.missing(version, after: last, before: record.position)
            }
            last = record.position
        }
        // The events in `records` can have been pruned meanwhile, so only later ones are missing.
        if isEnd, last < pruned { throw ProjectionError.missing(version, after: last, before: pruned + 1) }
    }

    // MARK: Other versions

    /// The state of the removal of other versions.
    private struct Removal {
        var next = Date.distantPast
        var failures = 0
    }

    /// Deletes a batch of the rows of a version of this projection that no program needs any longer, if it is time.
    ///
    /// A failure is logged, and doesn't keep this version from applying events.
    ///
    /// - Returns: Whether there may be more rows to delete.
    private func removeOtherVersions(
        _ removal: inout Removal,
        using generator: inout some RandomNumberGenerator
    ) async -> Bool {
        let now = runtime.steadyClock.now
        if now < removal.next { return false }
        do {
            if try await removeBatchOfOtherVersions(at: now) { return true }
            removal.failures = 0
            removal.next = now.advanced(by: configuration.versionRetention / 4)
        } catch {
            if Task.isCancelled { return false }
            removal.failures += 1
            let pause = configuration.backoff.pause(afterAttempt: removal.failures, using: &generator)
            removal.next = now.advanced(by: pause)
            var metadata = metadata()
            metadata["error"] = "\(error)"
            Logger.current.warning(
                "Earlier versions of a projection can't be removed, which is tried again", metadata: metadata)
        }
        return false
    }

    private func removeBatchOfOtherVersions(at now: Date) async throws -> Bool {
        let name = version.name
        let versions = try await EntityContext(store).fetch(StoredProjection.self, where: [.equals(.name, name)])
        let active = versions.active?.version
        let limit = now.advanced(by: .zero - configuration.versionRetention)
        let other = versions.first { other in
            other.version != version.number && other.version != active && (other.isRemoved || other.seenAt <= limit)
        }
        guard let other else { return false }
        _ = try await runtime.removeBatch(of: other.projectionVersion) { $0.seenAt <= limit }
        return true
    }

    // MARK: Failures

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
        if let error = error as? StoreError, error.isFinal { runtime.close(because: error) }
    }

    private func metadata(at position: Int64? = nil) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "headrace.projection": "\(version.name)", "headrace.projection.version": "\(version.number)",
        ]
        if let position { metadata["headrace.projection.position"] = "\(position)" }
        return metadata
    }
}

extension Error {
    /// Whether the error is about a row: it can't be encoded, or the store can't keep it.
    fileprivate var isAboutRows: Bool {
        if let error = self as? StoreError { return error.code == .tooLong }
        return !(self is CancellationError && Task.isCancelled)
    }
}
