// SPDX-License-Identifier: Apache-2.0

import HeadraceResolution
import Testing

/// The program of the article "Validating and drawing the graph".
@Suite struct GraphArticleTests {
    @Test func theArticleShowsTheGraphOfItsProgram() throws {
        let builder = ContainerBuilder()
        builder.singleton((any Books).self) { PaperBooks() }
        builder.scoped(Session.self)
        builder.transient(OpenAccount.self)
        builder.members.transient((any Rule).self) { NoOverdraft() }
        builder.transient { Report(books: $0.resolve()) }

        try builder.validate()

        #expect(builder.build().resolve(OpenAccount.self).rules.count == 1)
        #expect(
            builder.build().graph.mermaid == """
                flowchart LR
                    n0(["Books<br/>singleton"])
                    n1("Session<br/>scoped")
                    n2["OpenAccount<br/>transient"]
                    n3["Rule<br/>transient"]
                    n4["Report<br/>transient, opaque"]
                    n2 --> n0
                    n2 --> n1
                    n2 --> n3
                    classDef opaque stroke-dasharray: 4 4
                    class n4 opaque

                """
        )
    }

    // MARK: - Fixtures

    private protocol Books: Sendable {}
    private struct PaperBooks: Books {}
    private protocol Rule: Sendable {}
    private struct NoOverdraft: Rule {}
    private struct Clock {}

    private struct Report {
        let books: any Books
    }

    private final class Session: Resolvable, Sendable {
        static var dependencies: Dependencies { Dependencies() }

        init(scope: any DependencyResolutionScope) {}
    }

    private struct OpenAccount: Resolvable {
        let books: any Books
        let session: Session
        let rules: [any Rule]
        let clock: Clock?

        static var dependencies: Dependencies {
            Dependencies().on((any Books).self).on(Session.self).on([any Rule].self).on(Clock?.self)
        }

        init(scope: any DependencyResolutionScope) {
            books = scope.resolve()
            session = scope.resolve()
            rules = scope.resolve()
            clock = scope.resolve()
        }
    }
}
