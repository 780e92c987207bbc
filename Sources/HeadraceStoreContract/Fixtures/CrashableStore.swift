// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import HeadraceDomain
package import HeadraceStorage
import Synchronization

/// A store on a server that crashes while its clients live on.
///
/// Durable commits, leases, and renewals wait for the disk; relaxed commits and settlements don't. A crash loses all changes that
/// aren't on the disk. A request that runs during the crash throws an error, whatever it has done.
package final class CrashableStore: StoreDecorator {
    /// A moment in a request at which the server can crash.
    package struct Point: Hashable, Sendable, CustomStringConvertible {
        /// The kinds of request that change the store.
        package enum Request: String, CaseIterable, Sendable {
            case commit, lease, settle, renew
        }

        /// The moments of a request.
        package enum Moment: String, CaseIterable, Sendable {
            /// The request has not begun.
            case before

            /// The changes are made, and are not on the disk.
            case unsynced

            /// The changes are on the disk if the request waits for it, and the client receives its answer.
            case after
        }

        package let request: Request
        package let moment: Moment

        package var description: String { "\(moment.rawValue) \(request.rawValue)" }

        /// All points.
        package static let all = Request.allCases.flatMap { request in
            Moment.allCases.map { Point(request: request, moment: $0) }
        }
    }

    private struct Server {
        var disk: InMemoryStore.Contents
        var crashCount = 0
    }

    private let memory: InMemoryStore
    private let server: Mutex<Server>
    private let crashesAt: @Sendable (Point) -> Bool

    /// The store of the server's memory.
    package var base: any DeliveryStore { memory }

    /// Number of crashes.
    package var crashCount: Int { server.withLock { $0.crashCount } }

    /// Creates an empty store; `crashesAt` is called at each point, and returns whether the server crashes there.
    ///
    /// - Throws: The errors of `InMemoryStore(entities:)`.
    package init(entities: [any StoredEntity.Type], crashesAt: @escaping @Sendable (Point) -> Bool) throws {
        memory = try InMemoryStore(entities: entities)
        server = Mutex(Server(disk: memory.contents))
        self.crashesAt = crashesAt
    }

    package func commit(_ changes: ChangeSet) async throws {
        try await perform(.commit, isSynced: changes.durability == .durable) { try await memory.commit(changes) }
    }

    package func lease(_ request: LeaseRequest) async throws -> LeasedDeliveries {
        try await perform(.lease, isSynced: true) { try await memory.lease(request) }
    }

    package func settle(_ settlements: [Settlement]) async throws -> [Lease] {
        try await perform(.settle, isSynced: false) { try await memory.settle(settlements) }
    }

    package func renew(_ leases: [Lease], until date: Date) async throws -> [Lease] {
        try await perform(.renew, isSynced: true) { try await memory.renew(leases, until: date) }
    }

    private nonisolated(nonsending) func perform<Answer>(
        _ request: Point.Request,
        isSynced: Bool,
        _ body: nonisolated(nonsending) () async throws -> Answer
    ) async throws -> Answer {
        let count = crashCount
        pass(.before, of: request)
        if crashCount > count { throw Self.lost }
        let answer = try await body()
        pass(.unsynced, of: request)
        let memory = memory
        try server.withLock { server in
            if server.crashCount > count { throw Self.lost }
            if isSynced { server.disk = memory.contents }
        }
        pass(.after, of: request)
        return answer
    }

    private func pass(_ moment: Point.Moment, of request: Point.Request) {
        if !crashesAt(Point(request: request, moment: moment)) { return }
        server.withLock { server in
            server.crashCount += 1
            memory.restore(server.disk)
        }
        // As a client does when it has connected again.
        memory.deliverySignal.notify()
    }

    private static let lost = StoreError(code: .outcomeUnknown, message: "The server has crashed.")
}

/// The store of one process that can be killed.
///
/// After that, the process can't write.
final class FaultInjectingStore: StoreDecorator {
    let base: any DeliveryStore
    private let isKilled = Mutex(false)

    init(_ base: any DeliveryStore) {
        self.base = base
    }

    /// Ends the process.
    func kill() {
        isKilled.withLock { $0 = true }
    }

    private func live() throws {
        if isKilled.withLock(\.self) { throw StoreError(code: .unusable, message: "The process was killed.") }
    }

    func commit(_ changes: ChangeSet) async throws {
        try live()
        try await base.commit(changes)
    }

    func lease(_ request: LeaseRequest) async throws -> LeasedDeliveries {
        try live()
        return try await base.lease(request)
    }

    func settle(_ settlements: [Settlement]) async throws -> [Lease] {
        try live()
        return try await base.settle(settlements)
    }

    func renew(_ leases: [Lease], until date: Date) async throws -> [Lease] {
        try live()
        return try await base.renew(leases, until: date)
    }
}
