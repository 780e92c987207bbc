// SPDX-License-Identifier: Apache-2.0

import HeadraceResolution
import Synchronization
import Testing

/// Functions that wrap the objects of other registrations.
@Suite struct DecoratorTests {
    @Test func theFirstDecoratorIsInnermostInAnyOrderOfRegistration() throws {
        let builder = ContainerBuilder()
        builder.decorate((any Text).self, with: Bracketed.init)
        builder.singleton((any Text).self) { Plain(text: "a") }
        builder.singleton { Suffix(text: "!") }
        builder.decorate((any Text).self, with: Suffixed.init)
        try builder.validate(.strict)

        #expect(builder.build().resolve((any Text).self).text == "[a]!")
    }

    @Test func aSharedObjectIsDecoratedOnce() {
        let decorated = Counter()
        let contracts = container { builder in
            builder.singleton { Settings() }
            builder.decorate(Settings.self) { settings in
                decorated.increment()
                return settings
            }
        }

        _ = contracts.resolve(Settings.self)
        _ = contracts.scope().resolve(Settings.self)

        #expect(decorated.value == 1)
    }

    @Test func eachMemberOfASetIsDecorated() {
        let contracts = container { builder in
            builder.members.singleton((any Text).self) { Plain(text: "a") }
            builder.members.transient((any Text).self) { Plain(text: "b") }
            builder.decorate((any Text).self, with: Bracketed.init)
        }

        #expect(contracts.resolveAll((any Text).self).map(\.text) == ["[a]", "[b]"])
    }

    @Test func weakTimeLimitedAndMainActorObjectsAreDecorated() async {
        let contracts = container { builder in
            builder.weak { Settings() }
            builder.timeLimited(.seconds(1), as: (any Text).self) { Plain(text: "a") }
            builder.transient(Label.self, on: MainActor.self) { Label() }
            builder.decorate(Settings.self) { _ in Settings() }
            builder.decorate((any Text).self, with: Bracketed.init)
            builder.decorate(Label.self) { _ in
                MainActor.assertIsolated()
                return Label(isDecorated: true)
            }
        }

        let settings: Settings = contracts.resolve()

        #expect(contracts.resolve(Settings.self) === settings)
        #expect(contracts.resolve((any Text).self).text == "[a]")
        #expect(await MainActor.run { contracts.resolve(Label.self).isDecorated })
    }

    @Test func aNamedRegistrationIsDecoratedUnderItsType() {
        let contracts = container { builder in
            builder.singleton { Named<Loud, any Text>(Plain(text: "a")) }
            builder.singleton((any Text).self) { Plain(text: "b") }
            builder.decorate(Named<Loud, any Text>.self) { Named(Bracketed($0.value)) }
        }

        #expect(contracts.resolve((any Text).self, named: Loud.self).text == "[a]")
        #expect(contracts.resolve((any Text).self).text == "b")
    }

    @Test func anAssignedImplementationIsDecoratedUnderItsContractOnly() {
        let contracts = container { builder in
            builder.singleton { Settings() }
            builder.singleton(ResolvableMailer.self)
            builder.singleton((any Mailer).self, assigned(ResolvableMailer.self))
            builder.decorate((any Mailer).self) { SmtpMailer(settings: $0.settings) }
        }

        #expect(contracts.resolve((any Mailer).self) is SmtpMailer)
        #expect(contracts.resolve((any Mailer).self).settings === contracts.resolve(ResolvableMailer.self).settings)
    }

    @Test func aDecoratorWithoutARegistrationIsMissing() throws {
        let builder = ContainerBuilder()
        builder.decorate(Settings.self) { $0 }

        let error = try #require(throws: CompositionError.self) { try builder.validate() }

        #expect(error.problems.map(\.kind) == [.missing])
        #expect(builder.build().tryResolve(Settings.self) == nil)
    }

    @Test func aMissingDependencyOfADecoratorIsAProblem() throws {
        let builder = ContainerBuilder()
        builder.singleton((any Text).self) { Plain(text: "a") }
        builder.decorate((any Text).self, with: Suffixed.init)

        let invalid = try #require(throws: CompositionError.self) { try builder.validate() }
        let unresolved = #expect(throws: ResolutionError.self) { try builder.build().require((any Text).self) }

        #expect(invalid.problems.map(\.kind) == [.missing])
        #expect(unresolved?.code == .missing)
    }

    @Test func aDecoratorThatNeedsItsContractIsACycle() throws {
        let builder = ContainerBuilder()
        builder.singleton((any Text).self) { Plain(text: "a") }
        builder.singleton { (text: any Text) in Suffix(text: text.text) }
        builder.decorate((any Text).self, with: Suffixed.init)

        let invalid = try #require(throws: CompositionError.self) { try builder.validate() }
        let unresolved = #expect(throws: ResolutionError.self) { try builder.build().require((any Text).self) }

        #expect(invalid.problems.map(\.kind) == [.cyclic])
        #expect(unresolved?.code == .cyclic)
    }

    @Test func anOverriddenTypeLosesItsDecorators() {
        let original = container { builder in
            builder.singleton((any Text).self) { Plain(text: "a") }
            builder.decorate((any Text).self, with: Bracketed.init)
        }

        let replaced = original.overriding { $0.singleton((any Text).self) { Plain(text: "b") } }
        let decorated = original.overriding { $0.decorate((any Text).self, with: Bracketed.init) }

        #expect(replaced.resolve((any Text).self).text == "b")
        #expect(decorated.resolve((any Text).self).text == "[[a]]")
    }

    @Test func decoratorsAreDrawn() {
        let builder = ContainerBuilder()
        builder.singleton { Suffix(text: "!") }
        builder.singleton((any Text).self) { Plain(text: "a") }
        builder.decorate((any Text).self, with: Bracketed.init)
        builder.decorate((any Text).self, with: Suffixed.init)

        #expect(
            builder.graph.mermaid == """
                flowchart LR
                    n0(["Suffix<br/>singleton"])
                    n1(["Text<br/>singleton, decorated 2 times"])
                    n1 --> n0

                """
        )
    }
}

private enum Loud: DependencyName {}

private protocol Text: Sendable {
    var text: String { get }
}

private struct Plain: Text {
    let text: String
}

private struct Bracketed: Text {
    let text: String

    init(_ inner: any Text) {
        text = "[\(inner.text)]"
    }
}

private struct Suffix: Sendable {
    let text: String
}

private struct Suffixed: Text {
    let text: String

    init(_ inner: any Text, suffix: Suffix) {
        text = inner.text + suffix.text
    }
}

private final class Label {
    let isDecorated: Bool

    init(isDecorated: Bool = false) {
        self.isDecorated = isDecorated
    }
}
