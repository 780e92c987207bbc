// SPDX-License-Identifier: Apache-2.0

import HeadraceServices
import Measuring
import ServicesSubjects

/// A cluster that is created when a loop first runs, because creating a cluster waits for the main actor.
private actor Made {
    private let make: @Sendable () async throws -> Bootstrap
    private var made: Bootstrap?

    init(_ make: @escaping @Sendable () async throws -> Bootstrap) {
        self.make = make
    }

    func cluster() async throws -> Bootstrap {
        if let made { return made }
        let cluster = try await make()
        made = cluster
        return cluster
    }
}

extension Workload {
    private static func sending(
        _ name: String,
        _ make: @escaping @Sendable () async throws -> Bootstrap
    ) -> Workload {
        Workload(name) {
            let made = Made(make)
            return { iterations in
                let cluster = try await made.cluster()
                for number in 0..<iterations { try await cluster.send(action: Count(number)) }
            }
        }
    }

    /// Sends to the only service.
    static let sendToOne = sending("send-to-one-of-one") {
        try await Bootstrap { TallyService(Tally()) }
    }

    /// Sends to the only service, which has a value as its model.
    static let sendToValue = sending("send-to-one-value") {
        try await Bootstrap { ValueService() }
    }

    /// Sends to the only one of 1,000 services that handles the action.
    static let sendToOneOfThousand = sending("send-to-one-of-1000") {
        try await Bootstrap {
            for _ in 0..<500 { OtherService<Int>() }
            TallyService(Tally())
            for _ in 0..<499 { OtherService<String>() }
        }
    }

    /// Sends to ten services, one after another.
    static let sendToTenInOrder = sending("send-to-ten-serial") {
        try await Bootstrap {
            Group {
                for _ in 0..<10 { TallyService(Tally()) }
            }
            .serial()
        }
    }

    /// Creates clusters of services that handle different action types; an operation is one service.
    static func bootstrap(among count: Int) -> Workload {
        Workload("bootstrap-a-service-among-\(count)", concurrent: true) {
            { iterations in
                var rest = iterations
                while rest > 0 {
                    let size = min(rest, count)
                    _ = try await Bootstrap { NumberedServices.make(size) }
                    rest -= size
                }
            }
        }
    }

    /// Calls the work of the service directly.
    static let callDirectly = Workload("floor-call") {
        let tally = Tally()
        return { iterations in
            for number in 0..<iterations { try await tally.take(number) }
        }
    }
}
