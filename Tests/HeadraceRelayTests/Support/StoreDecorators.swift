// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStorage
import HeadraceTesting
import Synchronization

/// A store that never notifies relays, as if another process made all commits.
final class UnsignalledStore: StoreDecorator {
    let base: any DeliveryStore

    init(_ base: any DeliveryStore) {
        self.base = base
    }

    private let silent = DeliverySignal()
    var deliverySignal: DeliverySignal { silent }
}

/// A store that ignores renewals, as if the process were suspended.
final class UnrenewedStore: StoreDecorator {
    let base: any DeliveryStore

    init(_ base: any DeliveryStore) {
        self.base = base
    }

    func renew(_ leases: [Lease], until date: Date) async throws -> [Lease] { [] }
}

/// A store whose statistics can't be read.
final class UnreadableStore: StoreDecorator {
    let base: any DeliveryStore

    init(_ base: any DeliveryStore) {
        self.base = base
    }

    func deliveryStatistics() async throws -> DeliveryStatistics {
        throw StoreError(code: .unusable, message: "unreadable")
    }
}

/// A store that counts the leased lanes.
final class CountingStore: StoreDecorator {
    let base: any DeliveryStore

    init(_ base: any DeliveryStore) {
        self.base = base
    }

    private let count = Mutex(0)
    var leased: Int { count.withLock(\.self) }

    func lease(_ request: LeaseRequest) async throws -> LeasedDeliveries {
        let leased = try await base.lease(request)
        count.withLock { $0 += leased.lanes.count }
        return leased
    }
}

/// A store that refuses the first commits, leases, or settlements.
final class FailingStore: StoreDecorator {
    let base: any DeliveryStore
    private let left: Mutex<(commits: Int, leases: Int, settlements: Int)>

    init(
        _ base: any DeliveryStore,
        failing commits: Int = 0,
        failingLeases leases: Int = 0,
        failingSettlements settlements: Int = 0
    ) {
        left = Mutex((commits, leases, settlements))
        self.base = base
    }

    func settle(_ settlements: [Settlement]) async throws -> [Lease] {
        try fail(\.settlements)
        return try await base.settle(settlements)
    }

    func commit(_ changes: ChangeSet) async throws {
        try fail(\.commits)
        try await base.commit(changes)
    }

    func lease(_ request: LeaseRequest) async throws -> LeasedDeliveries {
        try fail(\.leases)
        return try await base.lease(request)
    }

    private func fail(_ path: WritableKeyPath<(commits: Int, leases: Int, settlements: Int), Int>) throws {
        let fails = left.withLock { left in
            left[keyPath: path] -= 1
            return left[keyPath: path] >= 0
        }
        if fails { throw StoreError(code: .full, message: "full") }
    }
}

/// A store that holds the first settlement or the return of a commit at a gate, and records settlements.
final class HeldStore: StoreDecorator {
    let base: any DeliveryStore
    let settling: Gate
    let committed: Gate

    private struct State {
        var isFirst = true
        var settled: [Settlement] = []
    }

    private let state = Mutex(State())

    init(_ base: any DeliveryStore, settling: Gate = .opened, committed: Gate = .opened) {
        self.base = base
        self.settling = settling
        self.committed = committed
    }

    /// The requested settlements, except those in commits.
    var settled: [Settlement] { state.withLock { $0.settled } }

    func settle(_ settlements: [Settlement]) async throws -> [Lease] {
        let isFirst = state.withLock { state in
            state.settled += settlements
            defer { state.isFirst = false }
            return state.isFirst
        }
        if isFirst { await settling.pass() }
        return try await base.settle(settlements)
    }

    func commit(_ changes: ChangeSet) async throws {
        try await base.commit(changes)
        await committed.pass()
    }
}

/// A store that notes each release of a lane on a desk.
final class ReleaseStore: StoreDecorator {
    let base: any DeliveryStore
    private let desk: Desk

    init(_ base: any DeliveryStore, desk: Desk) {
        self.base = base
        self.desk = desk
    }

    func settle(_ settlements: [Settlement]) async throws -> [Lease] {
        let refused = try await base.settle(settlements)
        for case .released in settlements.map(\.end) { desk.note("released") }
        return refused
    }
}

/// A store that refuses renewals, as if another relay had taken over all leases.
final class RefusingStore: StoreDecorator {
    let base: any DeliveryStore

    init(_ base: any DeliveryStore) {
        self.base = base
    }

    func renew(_ leases: [Lease], until date: Date) async throws -> [Lease] { leases }
}

/// A second relay, which takes over expired leases.
struct LeaseThief: Sendable {
    let store: InMemoryStore
    let wallClock: @Sendable () -> Date

    func steal(_ subscription: String) async throws {
        _ = try await store.lease(
            LeaseRequest(
                subscriptions: [subscription],
                laneLimit: 100,
                batchLimit: 1,
                now: wallClock(),
                duration: .seconds(1000)
            )
        )
    }
}
