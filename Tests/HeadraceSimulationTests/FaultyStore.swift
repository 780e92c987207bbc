// SPDX-License-Identifier: Apache-2.0

#if Simulations
import HeadraceStorage

/// A store with a planted mistake.
final class FaultyStore: StoreDecorator {
    enum Mistake {
        /// It acknowledges the delivery after the last acknowledged one, too.
        case acknowledgesTheNext

        /// It drops the acknowledgement of the second event, and hides that from the store.
        case losesTheSecondAcknowledgement

        /// It hands the deliveries of a lane out in the wrong order.
        case leasesInReverse
    }

    let base: any DeliveryStore
    private let mistake: Mistake

    init(_ base: any DeliveryStore, _ mistake: Mistake) {
        self.base = base
        self.mistake = mistake
    }

    func lease(_ request: LeaseRequest) async throws -> LeasedDeliveries {
        var leased = try await base.lease(request)
        if mistake == .leasesInReverse { leased.lanes = leased.lanes.map { $0.reversed() } }
        return leased
    }

    func settle(_ settlements: [Settlement]) async throws -> [Lease] {
        var settlements = settlements
        for index in settlements.indices {
            switch mistake {
            case .acknowledgesTheNext:
                guard let last = settlements[index].acknowledged.last else { continue }
                settlements[index].acknowledged.append(last + 1)
            case .losesTheSecondAcknowledgement:
                settlements[index].firstPosition = nil
                settlements[index].acknowledged.removeAll { $0 == 2 }
            case .leasesInReverse:
                break
            }
        }
        return try await base.settle(settlements)
    }
}
#endif
