// SPDX-License-Identifier: Apache-2.0

import HeadraceResolution
import Testing

@Suite struct ServiceLocatorTests {
    @Test func resolvesAnInstanceByItsType() {
        let services = ServiceLocator()
        let settings = Settings()

        services.register(settings)

        #expect(services.resolve(Settings.self) === settings)
        #expect(services.tryResolve(Settings.self) === settings)
    }

    @Test func resolvesAnInstanceByItsContract() {
        let services = ServiceLocator()
        let mailer = SmtpMailer()

        services.register((any Mailer).self, mailer)

        #expect(services.resolve((any Mailer).self) === mailer)
        #expect(services.tryResolve(SmtpMailer.self) == nil)
    }

    @Test func callsAFactoryForEachResolution() {
        let services = ServiceLocator()

        services.register((any Mailer).self) { SmtpMailer() }

        #expect(services.resolve((any Mailer).self) !== services.resolve((any Mailer).self))
    }

    @Test func aFactoryMayResolveFromTheLocatorThatRunsIt() {
        let services = ServiceLocator()
        services.register(Settings())

        services.register((any Mailer).self) { SmtpMailer(settings: services.resolve()) }

        #expect(services.resolve((any Mailer).self).settings === services.resolve(Settings.self))
    }

    @Test func theLastRegistrationOfATypeWins() {
        let services = ServiceLocator()
        let late = Settings()

        services.register(Settings())
        services.register(late)

        #expect(services.resolve(Settings.self) === late)
    }

    @Test func anOptionalTypeResolvesToItsWrappedTypeOrNil() {
        let services = ServiceLocator()
        let settings = Settings()
        services.register(settings)

        let found: Settings? = services.resolve()
        let missing: SmtpMailer? = services.resolve()

        #expect(found === settings)
        #expect(missing == nil)
    }

    @Test func twoLocatorsShareNothing() {
        let one = ServiceLocator()

        one.register(Settings())

        #expect(ServiceLocator().tryResolve(Settings.self) == nil)
    }

    @Test func manyTasksRegisterAndResolveAtOnce() async {
        let services = ServiceLocator()
        services.register(0)

        let seen = await withTaskGroup(of: Int.self) { group in
            for number in 1...1_000 {
                group.addTask {
                    services.register(number)
                    services.register("\(number)")
                    return services.resolve(Int.self)
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }

        #expect(seen.count == 1_000)
        #expect(seen.allSatisfy { (1...1_000).contains($0) })
        #expect(services.tryResolve(String.self) != nil)
    }

    @Test func resolvingAMissingTypeStopsTheProgramWithItsName() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = ServiceLocator().resolve(Settings.self)
        }

        #expect(result.wroteToStandardError("Nothing is registered for 'HeadraceResolutionTests.Settings'."))
    }
}
