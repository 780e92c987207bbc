// SPDX-License-Identifier: Apache-2.0

import HeadraceResolution
import Testing

/// A contract assigned to a `Resolvable` type uses the registration of that type, if it has one.
@Suite struct AssignedTests {
    @Test(arguments: [Lifetime.transient, .scoped, .singleton])
    func aRegisteredSingletonIsUsedAndNotCreatedTwice(lifetime: Lifetime) {
        let container = container { builder in
            builder.singleton { Settings() }
            switch lifetime {
            case .transient: builder.transient((any Mailer).self, assigned(ResolvableMailer.self))
            case .scoped: builder.scoped((any Mailer).self, assigned(ResolvableMailer.self))
            default: builder.singleton((any Mailer).self, assigned(ResolvableMailer.self))
            }
            builder.singleton(ResolvableMailer.self)
        }

        #expect(container.resolve((any Mailer).self) === container.resolve(ResolvableMailer.self))
        #expect(container.scope().resolve((any Mailer).self) === container.resolve(ResolvableMailer.self))
    }

    @Test func anOverrideOfTheTypeIsUsed() {
        let settings = Settings()
        let container = container { builder in
            builder.singleton { Settings() }
            builder.transient((any Mailer).self, assigned(ResolvableMailer.self))
        }
        let overriding = container.overriding { builder in
            builder.singleton { ResolvableMailer(settings: settings) }
        }

        #expect(container.resolve((any Mailer).self).settings === container.resolve(Settings.self))
        #expect(overriding.resolve((any Mailer).self).settings === settings)
        #expect(container.resolve((any Mailer).self).settings === container.resolve(Settings.self))
    }

    @Test func theGraphLeadsToTheRegistrationOrElseToTheDependenciesOfTheType() {
        let registered = builder { builder in
            builder.transient((any Mailer).self, assigned(StatingMailer.self))
            builder.singleton { Settings() }
            builder.singleton(StatingMailer.self)
        }
        let alone = builder { builder in
            builder.transient((any Mailer).self, assigned(StatingMailer.self))
            builder.singleton { Settings() }
        }

        #expect(
            registered.graph.mermaid == """
                flowchart LR
                    n0["Mailer<br/>transient"]
                    n1(["Settings<br/>singleton"])
                    n2(["StatingMailer<br/>singleton"])
                    n0 --> n2
                    n2 --> n1

                """
        )
        #expect(
            alone.graph.mermaid == """
                flowchart LR
                    n0["Mailer<br/>made as StatingMailer<br/>transient"]
                    n1(["Settings<br/>singleton"])
                    n0 --> n1

                """
        )
        #expect(registered.build().graph.mermaid == registered.graph.mermaid)
    }

    @Test func validationFindsTheCaptiveDependencyOfARegisteredType() throws {
        let builder = builder { builder in
            builder.singleton((any Mailer).self, assigned(StatingMailer.self))
            builder.scoped(StatingMailer.self)
            builder.singleton { Settings() }
        }

        let error = try #require(throws: CompositionError.self) { try builder.validate() }

        #expect(error.problems.map(\.kind) == [.captive])
    }

    @Test func aTypeAssignedToItselfCreatesItself() {
        let container = container { builder in
            builder.singleton { Settings() }
            builder.singleton(ResolvableMailer.self, assigned(ResolvableMailer.self))
        }

        #expect(container.resolve(ResolvableMailer.self) === container.resolve(ResolvableMailer.self))
    }

    @Test func aMemberOfASetUsesTheRegistrationOfItsType() throws {
        let container = container { builder in
            builder.singleton { Settings() }
            builder.singleton(ResolvableMailer.self)
            builder.members.transient((any Mailer).self, assigned(ResolvableMailer.self))
            builder.members.transient((any Mailer).self) { SmtpMailer() }
        }

        let first = try #require(container.resolve([any Mailer].self).first)
        #expect(first === container.resolve(ResolvableMailer.self))
    }
}

private final class StatingMailer: Mailer, Resolvable {
    static var dependencies: Dependencies { Dependencies().on(Settings.self) }

    let settings: Settings

    init(scope: any DependencyResolutionScope) {
        settings = scope.resolve()
    }
}
