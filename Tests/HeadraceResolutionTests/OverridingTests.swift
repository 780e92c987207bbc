// SPDX-License-Identifier: Apache-2.0

import HeadraceResolution
import Testing

@Suite struct OverridingTests {
    @Test func anOverrideWinsAndTheOriginalContainerDoesNotChange() {
        let parent = container { builder in
            builder.singleton((any Mailer).self) { SmtpMailer() }
            builder.transient(SignUp.self)
        }
        _ = parent.resolve(SignUp.self)

        let child = parent.overriding { builder in
            builder.singleton { Settings() }
            builder.singleton((any Mailer).self, assigned(ResolvableMailer.self))
        }

        #expect(child.resolve(SignUp.self).mailer is ResolvableMailer)
        #expect(parent.resolve(SignUp.self).mailer is SmtpMailer)
        #expect(parent.tryResolve(Settings.self) == nil)
    }

    @Test func singletonsAreCreatedAgainUnlessAFactoryCapturesThem() {
        let shared = Audit()
        let parent = container { builder in
            builder.singleton { Settings() }
            builder.singleton { shared }
        }

        let child = parent.overriding { _ in }

        #expect(child.resolve(Settings.self) !== parent.resolve(Settings.self))
        #expect(child.resolve(Audit.self) === parent.resolve(Audit.self))
    }

    @Test func aSetIsReplacedAsAWhole() {
        let parent = container { builder in
            builder.members.transient((any Rule).self) { NamedRule(name: "one") }
            builder.members.transient((any Rule).self) { NamedRule(name: "two") }
        }

        let one = parent.overriding { $0.transient((any Rule).self) { NamedRule(name: "fake") } }
        let set = parent.overriding { $0.members.transient((any Rule).self) { NamedRule(name: "fake") } }

        #expect(one.resolveAll((any Rule).self).map(\.name) == ["fake"])
        #expect(set.resolveAll((any Rule).self).map(\.name) == ["fake"])
    }

    @Test func anOverrideIsNotADuplicateAndCanBeOverriddenAgain() throws {
        let parent = container { $0.transient { NamedRule(name: "first") } }

        let child = parent.overriding { $0.transient { NamedRule(name: "second") } }
        let grandchild = child.overriding { $0.transient { NamedRule(name: "third") } }

        try grandchild.validate()
        #expect([parent, child, grandchild].map { $0.resolve(NamedRule.self).name } == ["first", "second", "third"])
    }

    @Test func anErrorThrownWhileRegisteringIsRethrown() {
        struct Refused: Error {}

        #expect(throws: Refused.self) { try container { _ in }.overriding { _ in throw Refused() } }
    }
}
