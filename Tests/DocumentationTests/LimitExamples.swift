// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceResilience
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

@Suite struct LimitExamples {
    @Test func eachLimitIsInTheChain() async throws {
        let chain = MiddlewareChain(middleware: [breaker, breakerPerGateway, bulkhead])

        let answer = try await chain.run(Charge(gateway: "north"), kind: .command) { $0.gateway }

        #expect(answer == "north")
    }
}
