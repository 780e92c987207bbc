// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceServices
import Testing

private struct Identity: Service {
    var body: some Service {
        Store(model: Counter.self)
            .mutate(on: Ping.self) { model, _, _ in model.count += 1 }
            .mutate(on: Pong.self) { model, _, _ in model.count -= 1 }
    }
}

/// Drawings of a tree.
@Suite struct GraphTests {
    private func cluster() async throws -> Bootstrap {
        try await Bootstrap {
            Group {
                Identity().with(model: Counter())
                Group {
                    Leaf("a", Journal())
                    Leaf("b", Journal())
                }
                .observe(on: Ping.self) {}
            }
            .emit(using: AsyncStream<Ping> { $0.finish() })
            .transformError { Recovery(name: "\($0)") }
            .serial()
        }
    }

    @Test func aTreeIsDrawnAsMermaid() async throws {
        #expect(
            try await cluster().graph.mermaid == """
                flowchart TD
                    n0["Group<br/>serial<br/>emits Ping<br/>turns errors into Recovery"]
                    n1("Identity")
                    n2[("Store of Counter<br/>on Ping<br/>on Pong")]
                    n3["Group<br/>serial<br/>observes Ping"]
                    n4("Leaf")
                    n5[("Store of Journal<br/>on Ping")]
                    n6("Leaf")
                    n7[("Store of Journal<br/>on Ping")]
                    n0 --> n1
                    n0 --> n3
                    n1 --> n2
                    n3 --> n4
                    n3 --> n6
                    n4 --> n5
                    n6 --> n7

                """
        )
    }

    @Test func aTreeIsDrawnAsDOT() async throws {
        #expect(
            try await cluster().graph.dot == """
                digraph services {
                    node [shape=box];
                    n0 [label="Group\\nserial\\nemits Ping\\nturns errors into Recovery"];
                    n1 [label="Identity", style=rounded];
                    n2 [label="Store of Counter\\non Ping\\non Pong", shape=cylinder];
                    n3 [label="Group\\nserial\\nobserves Ping"];
                    n4 [label="Leaf", style=rounded];
                    n5 [label="Store of Journal\\non Ping", shape=cylinder];
                    n6 [label="Leaf", style=rounded];
                    n7 [label="Store of Journal\\non Ping", shape=cylinder];
                    n0 -> n1;
                    n0 -> n3;
                    n1 -> n2;
                    n3 -> n4;
                    n3 -> n6;
                    n4 -> n5;
                    n6 -> n7;
                }

                """
        )
    }
}
