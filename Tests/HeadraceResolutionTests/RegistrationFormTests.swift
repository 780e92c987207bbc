// SPDX-License-Identifier: Apache-2.0

import HeadraceResolution
import Testing

@Suite struct RegistrationFormTests {
    @Test func eachLifetimeHasSevenUses() {
        let count = { lifetime in RegistrationForm.all.count { $0.lifetime == lifetime } }

        #expect([.transient, .scoped, .singleton].map(count) == [7, 7, 7])
    }

    @Test(arguments: RegistrationForm.all)
    func sharesTheObjectWithinItsLifetime(form: RegistrationForm) {
        let container = makeContainer(form)
        let scope = container.scope()
        let nested = scope.scope()
        let sibling = container.scope()

        let first = form.mailer(from: scope)

        let isKeptInItsScope = form.lifetime != .transient
        let isKeptInTheContainer = form.lifetime == .singleton
        #expect((form.mailer(from: scope) === first) == isKeptInItsScope)
        #expect((form.mailer(from: nested) === first) == isKeptInTheContainer)
        #expect((form.mailer(from: sibling) === first) == isKeptInTheContainer)
        #expect((form.mailer(from: container) === first) == isKeptInTheContainer)
    }

    @Test(arguments: RegistrationForm.all)
    func sharesTheObjectInTheContainerAsInAScope(form: RegistrationForm) {
        let container = makeContainer(form)

        let first = form.mailer(from: container)

        #expect((form.mailer(from: container) === first) == (form.lifetime != .transient))
    }

    @Test(arguments: RegistrationForm.all.filter(\.usesScope))
    func createsTheObjectFromTheScopeOfItsLifetime(form: RegistrationForm) {
        let container = makeContainer(form)
        let scope = container.scope().scope()

        let mailer = form.mailer(from: scope)

        let isOfTheContainer = form.lifetime == .singleton
        #expect((mailer.settings === container.resolve(Settings.self)) == isOfTheContainer)
        #expect((mailer.settings === scope.resolve(Settings.self)) == !isOfTheContainer)
    }

    private func makeContainer(_ form: RegistrationForm) -> Container {
        container { builder in
            builder.scoped { Settings() }
            form.register(in: builder)
        }
    }
}

/// Initializers are factories, without a closure around them.
@Suite struct InitializerAsFactoryTests {
    @Test func anInitializerWithoutArgumentsIsAFactoryOfEachLifetime() {
        let contracts = container { builder in
            builder.transient(Clock.init)
            builder.scoped(Calendar.init)
            builder.singleton(Settings.init)
        }

        #expect(contracts.resolve(Clock.self) !== contracts.resolve(Clock.self))
        #expect(contracts.resolve(Calendar.self) === contracts.resolve(Calendar.self))
        #expect(contracts.scope().resolve(Settings.self) === contracts.resolve(Settings.self))
    }

    @Test func anInitializerThatTakesTheScopeIsAFactoryOfEachLifetime() {
        let transient = container { builder in
            builder.scoped(Settings.init)
            builder.transient(ResolvableMailer.init(scope:))
        }
        let scoped = container { builder in
            builder.scoped(Settings.init)
            builder.scoped(ResolvableMailer.init(scope:))
        }
        let singleton = container { builder in
            builder.scoped(Settings.init)
            builder.singleton(ResolvableMailer.init(scope:))
        }

        #expect(transient.resolve(ResolvableMailer.self).settings === transient.resolve(Settings.self))
        #expect(scoped.resolve(ResolvableMailer.self) === scoped.resolve(ResolvableMailer.self))
        #expect(singleton.scope().resolve(ResolvableMailer.self) === singleton.resolve(ResolvableMailer.self))
    }

    @Test func aFunctionThatTakesItsScopeIsOpaque() throws {
        let builder = builder { builder in
            builder.singleton(Settings.init)
            builder.weak(ResolvableMailer.init(scope:))
            builder.transient { (_: any DependencyResolutionScope, settings: Settings) in SmtpMailer(settings: settings)
            }
        }
        let container = builder.build()

        try builder.validate()
        #expect(builder.graph.opaque.map { "\($0)" } == ["ResolvableMailer", "SmtpMailer"])
        #expect(container.resolve(ResolvableMailer.self).settings === container.resolve(Settings.self))
        #expect(container.resolve(SmtpMailer.self).settings === container.resolve(Settings.self))
    }

    @Test func anInitializerOfAnImplementationIsAFactoryOfItsContract() {
        let contracts = container { builder in
            builder.singleton(Settings.init)
            builder.singleton((any Mailer).self, ResolvableMailer.init(scope:))
        }

        #expect(contracts.resolve((any Mailer).self) is ResolvableMailer)
    }

    private final class Clock: Sendable {}

    private final class Calendar: Sendable {}
}
