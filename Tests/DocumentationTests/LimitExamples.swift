// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceStorage
import Testing

private struct Charge {
    let gateway: String
}

// The examples in the comments of limits and circuit breakers.

private var breaker: CircuitBreakerMiddleware {
    CircuitBreakerMiddleware(failures: 5, pause: .seconds(30), per: .all(named: "payments"))
}

private var breakerPerGateway: CircuitBreakerMiddleware {
    CircuitBreakerMiddleware(failures: 5, pause: .seconds(30), per: .key { ($0 as? Charge)?.gateway })
}

private var bulkhead: BulkheadMiddleware {
    BulkheadMiddleware(10, waiting: 50, per: .all(named: "payments"))
}

private func limit(on store: any EntityStore) -> SharedRateLimitMiddleware {
    SharedRateLimitMiddleware(100, every: .seconds(60), burst: 20, per: .principal, on: store)
}

@Suite struct LimitExamples {
    @Test func eachLimitIsInTheChain() async throws {
        let store = try InMemoryStore(entities: [RateLimitBucket.self])
        let chain = MiddlewareChain(middleware: [limit(on: store), breaker, breakerPerGateway, bulkhead])

        let answer = try await chain.run(Charge(gateway: "north"), kind: .command) { $0.gateway }

        #expect(answer == "north")
    }
}
