// SPDX-License-Identifier: Apache-2.0

import HeadraceResolution
import Testing

private enum Primary: DependencyName {}
private enum Replica: DependencyName {}

/// Several registrations of one type, told apart by their names.
@Suite struct NamedTests {
    @Test func eachNameHasItsOwnRegistration() {
        let contracts = container { builder in
            builder.singleton { Named<Primary, Settings>(Settings()) }
            builder.singleton { Named<Replica, Settings>(Settings()) }
            builder.singleton { Settings() }
        }

        let primary = contracts.resolve(Settings.self, named: Primary.self)

        #expect(contracts.resolve(Settings.self, named: Primary.self) === primary)
        #expect(contracts.resolve(Settings.self, named: Replica.self) !== primary)
        #expect(contracts.resolve(Settings.self) !== primary)
    }

    @Test func aNameHasTheLifetimeOfItsRegistration() {
        let contracts = container { builder in
            builder.scoped { Named<Primary, Settings>(Settings()) }
            builder.transient { Named<Replica, Settings>(Settings()) }
        }
        let scope = contracts.scope()

        #expect(scope.resolve(Settings.self, named: Primary.self) === scope.resolve(Settings.self, named: Primary.self))
        #expect(
            contracts.resolve(Settings.self, named: Primary.self) !== scope.resolve(Settings.self, named: Primary.self))
        #expect(
            scope.resolve(Settings.self, named: Replica.self) !== scope.resolve(Settings.self, named: Replica.self))
    }

    @Test func aNamedTypeIsAStatedDependency() throws {
        let builder = ContainerBuilder()
        builder.singleton { Settings() }
        builder.singleton { (settings: Settings) in Named<Primary, any Mailer>(SmtpMailer(settings: settings)) }
        builder.singleton { Named<Replica, any Mailer>(SmtpMailer()) }
        builder.transient(Newsletter.init)
        try builder.validate(.strict)

        let container = builder.build()
        let newsletter = try container.require(Newsletter.self)

        #expect(newsletter.mailer.value === container.resolve((any Mailer).self, named: Primary.self))
        #expect(newsletter.mailer.value.settings === container.resolve(Settings.self))
    }

    @Test func aMissingNameIsReportedWithTheLineToAdd() throws {
        let contracts = container { $0.singleton { Named<Primary, Settings>(Settings()) } }

        #expect(contracts.tryResolve(Settings.self, named: Replica.self) == nil)
        #expect(contracts.tryResolve(Settings.self) == nil)
        let error = try #require(throws: ResolutionError.self) {
            try contracts.require(Int.self, named: Replica.self)
        }

        #expect(error.code == .missing)
        #expect(error.message.contains("'builder.transient(HeadraceResolution.Named<"))
        #expect(error.message.contains("Replica, Swift.Int>.self) { … }'"))
    }
}

private struct Newsletter {
    let mailer: Named<Primary, any Mailer>
}
