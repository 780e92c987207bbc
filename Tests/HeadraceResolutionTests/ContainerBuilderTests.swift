// SPDX-License-Identifier: Apache-2.0

import HeadraceResolution
import Testing

@Suite struct ContainerBuilderTests {
    @Test func theLastRegistrationOfATypeWins() {
        let contracts = container { builder in
            builder.singleton((any Mailer).self) { SmtpMailer() }
            builder.singleton { Settings() }
            builder.transient((any Mailer).self, assigned(ResolvableMailer.self))
        }

        let mailer: any Mailer = contracts.resolve()

        #expect(mailer is ResolvableMailer)
        #expect(mailer !== contracts.resolve((any Mailer).self))
    }

    @Test func buildingTwiceReturnsTwoContainersThatShareNothing() {
        let builder = ContainerBuilder()
        builder.singleton { Settings() }
        builder.scoped { SmtpMailer() }

        let one = builder.build()
        let other = builder.build()

        #expect(one.resolve(Settings.self) === one.resolve(Settings.self))
        #expect(one.resolve(Settings.self) !== other.resolve(Settings.self))
        #expect(one.resolve(SmtpMailer.self) !== other.resolve(SmtpMailer.self))
    }

    @Test func aRegistrationAfterTheBuildDoesNotReachTheContainer() {
        let builder = ContainerBuilder()
        builder.singleton((any Mailer).self) { SmtpMailer() }
        let early = builder.build()

        builder.singleton { Settings() }
        builder.singleton((any Mailer).self, assigned(ResolvableMailer.self))
        let late = builder.build()

        #expect(early.tryResolve(Settings.self) == nil)
        #expect(early.resolve((any Mailer).self) is SmtpMailer)
        #expect(late.resolve((any Mailer).self) is ResolvableMailer)
    }

    @Test func anEmptyContainerResolvesNothing() {
        #expect(ContainerBuilder().build().tryResolve(Settings.self) == nil)
    }
}

/// A custom registry receives the registrations of the forms.
@Suite struct DependencyRegistryTests {
    @Test func everyFormRegistersOnceWithItsLifetime() {
        let registry = RecordingRegistry()

        registry.transient { SmtpMailer() }
        registry.scoped((any Mailer).self) { SmtpMailer(settings: $0.resolve()) }
        registry.singleton(ResolvableMailer.self)

        #expect(registry.registrations.map(\.lifetime) == [.transient, .scoped, .singleton])
        #expect(
            registry.registrations.map { ObjectIdentifier($0.contract) } == [
                ObjectIdentifier(SmtpMailer.self),
                ObjectIdentifier((any Mailer).self),
                ObjectIdentifier(ResolvableMailer.self),
            ]
        )
    }

    @Test func aContainerBuilderAcceptsTheRegistrationsOfAnotherRegistry() {
        let registry = RecordingRegistry()
        registry.singleton { Settings() }

        let contracts = container { builder in registry.registrations.forEach { builder.register($0) } }

        #expect(contracts.resolve(Settings.self) === contracts.scope().resolve(Settings.self))
    }

    @Test func aLifetimePrintsTheNameOfItsForm() {
        #expect([Lifetime.transient, .scoped, .singleton].map(\.description) == ["transient", "scoped", "singleton"])
    }

    private final class RecordingRegistry: DependencyRegistry {
        var registrations: [Registration] = []

        func register(_ registration: Registration) {
            registrations.append(registration)
        }
    }
}
