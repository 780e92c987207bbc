// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HeadraceResolution

@Suite struct DependencyGraphTests {
    @Test func aGraphIsDrawnAsMermaid() {
        #expect(
            shop.graph.mermaid == """
                flowchart LR
                    n0["SignUp<br/>transient"]
                    n1("Mailer<br/>made as ResolvableMailer<br/>scoped, opaque")
                    n2(["Welcome<br/>singleton"])
                    n3["Rule<br/>transient"]
                    n4["Rule<br/>made as StatedRule<br/>transient"]
                    n5["Rulebook<br/>transient"]
                    n6[/"Settings<br/>made later"/]
                    n7{{"Counter<br/>missing"}}
                    n0 --> n1
                    n2 --> n0
                    n5 --> n3
                    n5 --> n4
                    n5 -.->|later| n6
                    n6 -.->|optional| n2
                    n6 --> n7
                    classDef opaque stroke-dasharray: 4 4
                    class n1 opaque
                    classDef missing stroke:#c00,color:#c00
                    class n7 missing

                """
        )
    }

    @Test func aGraphIsDrawnForGraphviz() {
        #expect(
            shop.build().graph.dot == """
                digraph dependencies {
                    rankdir=LR;
                    node [shape=box];
                    n0 [label="SignUp\\ntransient"];
                    n1 [label="Mailer\\nmade as ResolvableMailer\\nscoped, opaque", style="rounded,dashed"];
                    n2 [label="Welcome\\nsingleton", style="bold"];
                    n3 [label="Rule\\ntransient"];
                    n4 [label="Rule\\nmade as StatedRule\\ntransient"];
                    n5 [label="Rulebook\\ntransient"];
                    n6 [label="Settings\\nmade later"];
                    n7 [label="Counter\\nmissing", shape=octagon, color=red];
                    n0 -> n1;
                    n2 -> n0;
                    n5 -> n3;
                    n5 -> n4;
                    n5 -> n6 [style=dashed, label="later"];
                    n6 -> n2 [style=dashed, label="optional"];
                    n6 -> n7;
                }

                """
        )
    }

    @Test func typesWithTheSameNameHaveDifferentTitles() {
        let builder = builder { builder in
            builder.transient { East.Gate() }
            builder.transient { West.Gate() }
            builder.transient { Settings() }
            register(localTypesIn: builder)
        }

        #expect(
            builder.graph.titles == [
                "HeadraceResolutionTests.East.Gate", "HeadraceResolutionTests.West.Gate", "Settings",
                "HeadraceResolutionTests.DependencyGraphTests.Local (1)",
                "HeadraceResolutionTests.DependencyGraphTests.Local (2)",
            ]
        )
    }

    @Test func namesAreEscapedForEachFormat() {
        #expect(
            DependencyGraph.escapedForMermaid("Box<\"a\">#`b`_&\n*")
                == "Box#lt;#quot;a#quot;#gt;#35;#96;b#96;#95;#amp; #42;"
        )
        #expect(DependencyGraph.escapedForDot("Box<\"a\">\\\n") == "Box<\\\"a\\\">\\\\ ")
    }

    @Test func anEmptyGraphIsDrawnAsWell() {
        #expect(ContainerBuilder().graph.mermaid == "flowchart LR\n")
        #expect(ContainerBuilder().graph.dot == "digraph dependencies {\n    rankdir=LR;\n    node [shape=box];\n}\n")
    }

    @Test(arguments: RegistrationForm.all)
    func aFormStatesTheDependenciesThatItKnows(form: RegistrationForm) {
        let graph = builder { form.register(in: $0) }.graph

        let isTold = !form.usesScope || form.testDescription.hasSuffix("assigned to a registered type")
        #expect(graph.nodes.last?.isOpaque == !isTold)
        #expect(graph.nodes.last?.kind == .registration(form.lifetime))
        #expect(graph.nodes.last?.edges.count == (form.usesScope && isTold ? 1 : 0))
    }

    private var shop: ContainerBuilder {
        builder { builder in
            builder.transient(SignUp.self)
            builder.scoped((any Mailer).self, assigned(ResolvableMailer.self))
            builder.singleton(Welcome.self)
            builder.members.transient((any Rule).self) { NamedRule(name: "one") }
            builder.members.transient((any Rule).self, assigned(StatedRule.self))
            var rules = Registration(transient: Rulebook.self, dependencies: Rulebook.dependencies) {
                Rulebook(scope: $0)
            }
            rules.parts = [RegistrationPart(Settings.self, Dependencies().on(Welcome?.self).on(Counter.self))]
            builder.register(rules)
        }
    }

    private func register(localTypesIn builder: ContainerBuilder) {
        do {
            struct Local {}
            builder.transient { Local() }
        }
        do {
            struct Local {}
            builder.transient { Local() }
        }
    }
}

private enum East { struct Gate {} }
private enum West { struct Gate {} }
