// SPDX-License-Identifier: Apache-2.0

import HeadraceResolution
import Testing

@Suite struct SetTests {
    @Test func theMembersOfASetAreResolvedInOrderEachWithItsLifetime() {
        let container = container { builder in
            builder.members.transient((any Mailer).self) { SmtpMailer() }
            builder.members.scoped((any Mailer).self) { SmtpMailer(settings: $0.resolve()) }
            builder.members.singleton((any Mailer).self, assigned(ResolvableMailer.self))
            builder.singleton { Settings() }
        }
        let scope = container.scope()

        let first = scope.resolveAll((any Mailer).self)
        let again = scope.resolveAll((any Mailer).self)
        let outside = container.resolveAll((any Mailer).self)

        #expect(first.map { $0 is ResolvableMailer } == [false, false, true])
        #expect(zip(first, again).map { $0 === $1 } == [false, true, true])
        #expect(zip(first, outside).map { $0 === $1 } == [false, false, true])
        #expect(scope.resolve((any Mailer).self) === first.last)
    }

    @Test func everyFormOfEveryLifetimeJoinsTheSet() {
        let container = container { builder in
            builder.members.transient((any Rule).self) { NamedRule(name: "1") }
            builder.members.transient((any Rule).self) { _ in NamedRule(name: "2") }
            builder.members.transient((any Rule).self, assigned(StatedRule.self))
            builder.members.scoped((any Rule).self) { NamedRule(name: "4") }
            builder.members.scoped((any Rule).self) { _ in NamedRule(name: "5") }
            builder.members.scoped((any Rule).self, assigned(StatedRule.self))
            builder.members.singleton((any Rule).self) { NamedRule(name: "7") }
            builder.members.singleton((any Rule).self) { _ in NamedRule(name: "8") }
            builder.members.singleton((any Rule).self, assigned(StatedRule.self))
        }

        let names = container.resolveAll((any Rule).self).map(\.name)

        #expect(names == ["1", "2", "stated", "4", "5", "stated", "7", "8", "stated"])
    }

    @Test func anArrayIsTheSetOfItsElementsUnlessItIsRegisteredItself() {
        let set = container { builder in
            builder.members.transient((any Rule).self) { NamedRule(name: "one") }
            builder.transient { scope in RuleNames(names: scope.resolve([any Rule].self).map(\.name)) }
        }
        let registered = container { builder in
            builder.members.transient((any Rule).self) { NamedRule(name: "one") }
            builder.transient { () -> [any Rule] in [] }
        }

        #expect(set.resolve(RuleNames.self).names == ["one"])
        #expect(set.resolve([any Rule]?.self)?.count == 1)
        #expect(registered.resolve([any Rule].self).isEmpty)
    }

    @Test func withoutASetResolveAllReturnsTheRegisteredObjectOrNothing() {
        let container = container { $0.singleton { Settings() } }

        #expect(container.resolveAll(Settings.self).map { $0 === container.resolve(Settings.self) } == [true])
        #expect(container.resolveAll((any Rule).self).isEmpty)
        #expect(container.tryResolve([any Rule].self) == nil)
    }

    @Test func aReplacementDoesNotJoinTheSet() {
        let container = container { builder in
            builder.members.transient((any Rule).self) { NamedRule(name: "one") }
            builder.transient((any Rule).self) { NamedRule(name: "last") }
        }

        #expect(container.resolveAll((any Rule).self).map(\.name) == ["one"])
        #expect(container.resolve((any Rule).self).name == "last")
    }

    @Test func aServiceLocatorReturnsItsInstance() {
        let locator = ServiceLocator()
        locator.register((any Rule).self, NamedRule(name: "one"))

        #expect(locator.resolveAll((any Rule).self).map(\.name) == ["one"])
        #expect(locator.resolveAll(Settings.self).isEmpty)
    }

    @Test func aBorrowedScopeResolvesSetsToo() {
        let container = container { builder in
            builder.members.transient((any Rule).self) { NamedRule(name: "one") }
            builder.singleton { RuleNames(names: $0.resolveAll((any Rule).self).map(\.name)) }
        }

        #expect(container.resolve(RuleNames.self).names == ["one"])
    }
}

private struct RuleNames: Sendable {
    let names: [String]
}
