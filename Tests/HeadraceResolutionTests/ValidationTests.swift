// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceResolution
import Testing

@Suite struct ValidationTests {
    @Test func aCompleteGraphIsValidAndNoObjectIsCreated() throws {
        let made = Counter()
        let builder = builder { builder in
            builder.transient(SignUp.self)
            builder.singleton((any Mailer).self) {
                made.increment()
                return SmtpMailer()
            }
        }

        try builder.validate()
        try builder.build().validate()

        #expect(made.value == 0)
    }

    @Test func aMissingTypeIsNamedWithItsPathAndTheLineToAdd() throws {
        let builder = builder { builder in
            builder.transient(Welcome.self)
            builder.transient(SignUp.self)
        }

        let problem = try #require(try problems(of: builder).first)

        #expect(problem.kind == .missing)
        #expect(problem.path.map { ObjectIdentifier($0) } == identities(Welcome.self, SignUp.self, (any Mailer).self))
        #expect(
            problem.message == """
                Nothing is registered for 'HeadraceResolutionTests.Mailer', needed by \
                HeadraceResolutionTests.Welcome → HeadraceResolutionTests.SignUp. \
                To fix, add 'builder.transient((any HeadraceResolutionTests.Mailer).self) { … }', '.scoped' or \
                '.singleton', or make the dependency optional if it may be missing.
                """
        )
    }

    @Test func theLineToAddNamesAResolvableTypeAloneAndAddsToTheSetOfAnArray() throws {
        let builder = builder { builder in
            builder.transient(Welcome.self)
            builder.transient(Rulebook.self)
        }

        let messages = try problems(of: builder).map(\.message)

        #expect(messages.count == 2)
        #expect(messages.first?.contains("'builder.transient(HeadraceResolutionTests.SignUp.self)'") == true)
        #expect(
            messages.last?.contains("'builder.members.transient((any HeadraceResolutionTests.Rule).self) { … }'")
                == true
        )
    }

    @Test func aMissingTypeNamesTheMemberOfTheSetThatNeedsIt() throws {
        let builder = builder { builder in
            builder.members.transient((any Rule).self) { NamedRule(name: "one") }
            builder.members.transient((any Rule).self, assigned(AuditedRule.self))
            builder.transient(Rulebook.self)
        }

        let messages = try problems(of: builder).map(\.message)

        #expect(
            messages == [
                """
                Nothing is registered for 'HeadraceResolutionTests.Audit', needed by \
                HeadraceResolutionTests.Rulebook → HeadraceResolutionTests.Rule \
                (HeadraceResolutionTests.AuditedRule, number 2 of its set). \
                To fix, add 'builder.transient(HeadraceResolutionTests.Audit.self) { … }', '.scoped' or \
                '.singleton', or make the dependency optional if it may be missing.
                """
            ]
        )
    }

    @Test func anAssignedTypeMustBeRegisteredUnlessItCreatesItself() throws {
        let builder = builder { builder in
            builder.transient((any Mailer).self, assigned(SmtpMailer.self))
            builder.transient((any Rule).self, assigned(StatedRule.self))
        }

        let problems = try problems(of: builder)

        #expect(problems.map(\.kind) == [.missing])
        #expect(problems.first?.path.map { ObjectIdentifier($0) } == identities((any Mailer).self, SmtpMailer.self))
    }

    @Test func aCycleIsNamedWithTheWholePath() throws {
        let builder = builder { builder in
            builder.transient(Head.self)
            builder.singleton(Left.self)
            builder.scoped(Right.self)
        }

        let problem = try #require(try problems(of: builder).first { $0.kind == .cyclic })

        #expect(problem.path.map { ObjectIdentifier($0) } == identities(Left.self, Right.self, Left.self))
        #expect(
            problem.message == """
                'HeadraceResolutionTests.Left' depends on itself: HeadraceResolutionTests.Left → \
                HeadraceResolutionTests.Right → HeadraceResolutionTests.Left. \
                To fix, let one of them resolve its dependency later, by a closure or from the scope at the time of use.
                """
        )
    }

    @Test func aTypeRegisteredTwiceIsADuplicateUnlessItIsASet() throws {
        let builder = builder { builder in
            builder.singleton { Settings() }
            builder.members.transient((any Rule).self) { NamedRule(name: "one") }
            builder.transient { Settings() }
            builder.members.singleton((any Rule).self) { NamedRule(name: "two") }
            builder.members.scoped((any Mailer).self) { SmtpMailer() }
            builder.scoped((any Mailer).self) { SmtpMailer() }
        }

        let problems = try problems(of: builder)

        #expect(problems.map(\.kind) == [.duplicate, .duplicate])
        #expect(
            problems.first?.message == """
                'HeadraceResolutionTests.Settings' is registered 2 times (singleton, transient), and the last one \
                wins. To fix, remove all but one, or register them as a set: \
                'builder.members.transient(HeadraceResolutionTests.Settings.self) { … }' for each.
                """
        )
        #expect(problems.last?.path.map { ObjectIdentifier($0) } == identities((any Mailer).self))
    }

    @Test func aScopedObjectThatASingletonHoldsThroughTransientsIsCaptive() throws {
        let builder = builder { builder in
            builder.singleton(Welcome.self)
            builder.transient(SignUp.self)
            builder.scoped((any Mailer).self) { SmtpMailer() }
        }

        let problem = try #require(try problems(of: builder).first)

        #expect(problem.kind == .captive)
        #expect(
            problem.message == """
                A singleton keeps a scoped object, which belongs to the outermost scope, forever: \
                HeadraceResolutionTests.Welcome → HeadraceResolutionTests.SignUp → HeadraceResolutionTests.Mailer. \
                To fix, register the first with 'builder.scoped(HeadraceResolutionTests.Welcome.self) { … }', or the \
                last with 'builder.singleton((any HeadraceResolutionTests.Mailer).self) { … }'.
                """
        )
    }

    @Test func aCaptiveIsReportedOnlyForTheSingletonThatHoldsIt() throws {
        let builder = builder { builder in
            builder.singleton(Welcome.self)
            builder.singleton(SignUp.self)
            builder.scoped((any Mailer).self) { SmtpMailer() }
        }

        let problems = try problems(of: builder)

        #expect(problems.count == 1)
        #expect(problems.first?.path.map { ObjectIdentifier($0) } == identities(SignUp.self, (any Mailer).self))
    }

    @Test func everyProblemHasItsOwnLineAndOpaqueRegistrationsAreNotProblems() throws {
        let builder = builder { builder in
            builder.singleton(SignUp.self)
            builder.scoped { Audit() }
            builder.transient { SmtpMailer(settings: $0.resolve()) }
            builder.transient { SmtpMailer(settings: $0.resolve()) }
        }

        let error = try #require(throws: CompositionError.self) { try builder.build().validate() }

        #expect(error.code == .invalidRegistrations)
        #expect(error.problems.map(\.kind) == [.missing, .duplicate, .captive])
        #expect(error.opaque.map { ObjectIdentifier($0) } == identities(SmtpMailer.self))
        let lines = error.message.split(separator: "\n")
        #expect(lines.count == 5)
        #expect(lines.first == "The registrations have 3 problems.")
        #expect(lines.dropFirst().prefix(3).map { $0.prefix(9) } == ["- missing", "- duplica", "- captive"])
        #expect(lines.last == "Opaque, and not checked: HeadraceResolutionTests.SmtpMailer.")
        #expect(error.description.hasPrefix("The registrations have 3 problems"))
    }

    @Test func aTypeThatDoesNotStateItsDependenciesIsOpaque() throws {
        let builder = builder { builder in
            builder.transient(ResolvableMailer.self)
            builder.transient((any Mailer).self, assigned(ResolvableMailer.self))
        }

        try builder.validate()

        let opaque = builder.graph.opaque.map { ObjectIdentifier($0) }
        #expect(opaque == identities(ResolvableMailer.self))
    }

    @Test func aChainOfAnyLengthIsValidatedWithoutRecursion() throws {
        let graph = RandomGraph(chain: 5_000)

        let problem = try #require(try problems(of: graph.builder()).first)

        #expect(problem.kind == .missing)
        #expect(problem.path.compactMap { RandomGraph.number(of: $0) } == Array(0..<5_000))
    }
}

/// Other modules add their problems by notes.
@Suite struct RegistrationNoteTests {
    @Test func theDependenciesOfAPartMustBeRegisteredAndMayIncludeItsCreator() throws {
        var registration = Registration(transient: Audit.self, dependencies: Dependencies()) { _ in Audit() }
        registration.parts = [
            RegistrationPart(SignUp.self),
            RegistrationPart(Settings.self, Dependencies().on(Audit.self)),
        ]
        let builder = ContainerBuilder()
        builder.register(registration)

        let problems = try problems(of: builder)

        #expect(problems.map(\.kind) == [.missing])
        #expect(
            problems.first?.path.map { ObjectIdentifier($0) } == identities(Audit.self, SignUp.self, (any Mailer).self)
        )
    }

    @Test func notesOfOneTypeAreCheckedTogetherInTheOrderOfRegistration() throws {
        let builder = ContainerBuilder()
        builder.register(noting(Audit.self, Handled(message: "a"), Handled(message: "b")))
        builder.register(noting(Settings.self, Handled(message: "a"), Silent()))

        let problems = try problems(of: builder)

        #expect(problems.map(\.description) == ["repeated: a is handled twice"])
    }

    @Test func notesOfAReplacedRegistrationDoNotCount() throws {
        let builder = ContainerBuilder()
        builder.register(noting(Audit.self, Handled(message: "a")))
        let container = builder.build().overriding { $0.register(noting(Audit.self, Handled(message: "a"))) }

        try container.validate()
    }

    private func noting<T>(_ type: T.Type, _ notes: any RegistrationNote...) -> Registration {
        var registration = Registration(transient: type, dependencies: Dependencies()) { $0.resolve() }
        registration.notes = notes
        return registration
    }

    private struct Handled: RegistrationNote {
        let message: String

        static func problems(in notes: [Handled]) -> [CompositionProblem] {
            Dictionary(grouping: notes, by: \.message).filter { $1.count > 1 }.keys.sorted().map {
                CompositionProblem(CompositionProblem.Kind("repeated"), path: [], message: "\($0) is handled twice")
            }
        }
    }

    private struct Silent: RegistrationNote {
        static func problems(in notes: [Silent]) -> [CompositionProblem] { [] }
    }
}

private func problems(of builder: ContainerBuilder) throws -> [CompositionProblem] {
    try #require(throws: CompositionError.self) { try builder.validate() }.problems
}

private func identities(_ types: Any.Type...) -> [ObjectIdentifier] {
    types.map { ObjectIdentifier($0) }
}

// MARK: - Fixtures

final class Welcome: Resolvable, Sendable {
    static var dependencies: Dependencies { Dependencies().on(SignUp.self) }
    init(scope: any DependencyResolutionScope) { _ = scope.resolve(SignUp.self) }
}

final class Rulebook: Resolvable, Sendable {
    static var dependencies: Dependencies { Dependencies().on([any Rule].self) }
    init(scope: any DependencyResolutionScope) { _ = scope.resolve([any Rule].self) }
}

final class AuditedRule: Rule, Resolvable {
    static var dependencies: Dependencies { Dependencies().on(Audit.self) }

    let name = "audited"

    init(scope: any DependencyResolutionScope) { _ = scope.resolve(Audit.self) }
}

final class Head: Resolvable, Sendable {
    static var dependencies: Dependencies { Dependencies().on(Left.self) }
    init(scope: any DependencyResolutionScope) { _ = scope.resolve(Left.self) }
}

final class Left: Resolvable, Sendable {
    static var dependencies: Dependencies { Dependencies().on(Right?.self) }
    init(scope: any DependencyResolutionScope) { _ = scope.resolve(Right.self) }
}

final class Right: Resolvable, Sendable {
    static var dependencies: Dependencies { Dependencies().on(Left.self) }
    init(scope: any DependencyResolutionScope) { _ = scope.resolve(Left.self) }
}
