// SPDX-License-Identifier: Apache-2.0

import HeadraceResolution
import Testing

/// The registrations that `validate(.strict)` rejects and `validate()` accepts, and the forms that both accept.
@Suite struct StrictValidationTests {
    @Test func statedDependenciesPass() throws {
        let builder = builder { builder in
            builder.singleton { Settings() }
            builder.singleton((any Mailer).self, SmtpMailer.init(settings:))
            builder.transient(Welcome.self)
            builder.scoped(SignUp.self)
            builder.transient(Pair.init)
        }

        try builder.validate(.strict)
        try builder.build().validate(.strict)

        #expect(builder.graph.opaque.isEmpty)
    }

    @Test func aClosureThatTakesItsScopeIsUnproved() throws {
        let builder = builder { builder in
            builder.singleton { Settings() }
            builder.transient((any Mailer).self) { SmtpMailer(settings: $0.resolve()) }
        }

        try builder.validate()
        let error = try #require(throws: CompositionError.self) { try builder.validate(.strict) }

        #expect(error.problems.map(\.kind) == [.unproved])
        #expect(
            error.problems.first?.message == """
                Nothing proves that 'HeadraceResolutionTests.Mailer' can be made. Its factory is a closure that takes its \
                scope. To fix, register an initializer, as in \
                'builder.transient(HeadraceResolutionTests.Mailer.init)', or state the dependencies, as in \
                'builder.transient((any HeadraceResolutionTests.Mailer).self, closure(needs: …) { scope in … })'.
                """
        )
    }

    @Test func aTypeThatDoesNotStateItsDependenciesIsUnproved() throws {
        let builder = builder { builder in
            builder.singleton { Settings() }
            builder.transient((any Mailer).self, assigned(ResolvableMailer.self))
        }

        let error = try #require(throws: CompositionError.self) { try builder.validate(.strict) }

        #expect(
            error.problems.map(\.message) == [
                """
                Nothing proves that 'HeadraceResolutionTests.Mailer' can be made. \
                'HeadraceResolutionTests.ResolvableMailer' doesn't state its dependencies. To fix, add '@Resolvable', or \
                state them in 'static var dependencies'.
                """
            ]
        )
    }

    @Test func aClosureThatStatesItsDependenciesPasses() throws {
        let builder = builder { builder in
            builder.singleton(
                (any Mailer).self,
                closure(needs: Settings.self, Audit?.self) { scope in
                    _ = scope.tryResolve(Audit.self)
                    return SmtpMailer(settings: scope.resolve())
                }
            )
        }

        let error = try #require(throws: CompositionError.self) { try builder.validate(.strict) }
        #expect(error.problems.map(\.kind) == [.missing])

        builder.scoped { Settings() }
        let captive = try #require(throws: CompositionError.self) { try builder.validate(.strict) }
        #expect(captive.problems.map(\.kind) == [.captive])
        #expect(builder.build().resolve((any Mailer).self) is SmtpMailer)
    }

    @Test func theParametersOfAnInitializerAreResolvedAndStated() throws {
        let builder = builder { builder in
            builder.scoped { Settings() }
            builder.transient(SmtpMailer.init(settings:))
            builder.transient((any Mailer).self, assigned(SmtpMailer.self))
            builder.scoped(Pair.init)
        }

        let scope = builder.build().scope()

        #expect(scope.resolve(Pair.self).mailer.settings === scope.resolve(Settings.self))
        #expect(scope.resolve(Pair.self).audit == nil)
        #expect(
            builder.graph.mermaid == """
                flowchart LR
                    n0("Settings<br/>scoped")
                    n1["SmtpMailer<br/>transient"]
                    n2["Mailer<br/>transient"]
                    n3("Pair<br/>scoped")
                    n1 --> n0
                    n2 --> n1
                    n3 --> n2
                    n3 --> n0

                """
        )
    }

    @Test func anUnprovedPartReportsItsAdviceAndNotesAddTheirProblems() throws {
        var registration = Registration(transient: Audit.self, dependencies: Dependencies()) { _ in Audit() }
        var inner = RegistrationPart(Settings.self, .unknown)
        inner.advice = "To fix, state it."
        var outer = RegistrationPart(Audit.self, Dependencies())
        outer.label = "letters"
        outer.remark = "subscription"
        outer.parts = [inner]
        registration.parts = [outer]
        registration.notes = [Doubtful()]
        let builder = ContainerBuilder()
        builder.register(registration)

        try builder.validate()
        let error = try #require(throws: CompositionError.self) { try builder.validate(.strict) }

        #expect(
            error.problems.map(\.message) == [
                "Nothing proves that 'HeadraceResolutionTests.Settings' can be made. To fix, state it.", "1 of 1",
            ]
        )
        #expect(
            builder.graph.mermaid == """
                flowchart LR
                    n0["Audit<br/>transient"]
                    n1[/"letters<br/>subscription"/]
                    n2[/"Settings<br/>made later, opaque"/]
                    n0 -.->|later| n1
                    n1 -.->|later| n2
                    classDef opaque stroke-dasharray: 4 4
                    class n2 opaque

                """
        )
    }

    private struct Doubtful: RegistrationNote {
        static func problems(in notes: [Doubtful]) -> [CompositionProblem] { [] }

        static func unproved(in notes: [Doubtful], among all: [any RegistrationNote]) -> [CompositionProblem] {
            [CompositionProblem(.unproved, path: [], message: "\(notes.count) of \(all.count)")]
        }
    }
}

private struct Pair: Sendable {
    let mailer: any Mailer
    let settings: Settings
    let audit: Audit?
}
