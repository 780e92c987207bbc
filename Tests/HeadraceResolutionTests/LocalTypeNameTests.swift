// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceResolution
import Testing

private protocol PrivateRule: Sendable {}
private final class PrivateMailer: Sendable {}

private final class PrivateSignUp: Resolvable {
    static var dependencies: Dependencies { Dependencies().on(PrivateMailer.self) }
    init(scope: any DependencyResolutionScope) { _ = scope.resolve(PrivateMailer.self) }
}

private final class PrivateAuditedRule: PrivateRule, Resolvable {
    static var dependencies: Dependencies { Dependencies().on(PrivateMailer.self) }
    init(scope: any DependencyResolutionScope) { _ = scope.resolve(PrivateMailer.self) }
}

/// Swift prints addresses for private and local types.
///
/// Messages and drawings show names instead.
@Suite struct LocalTypeNameTests {
    @Test func aMissingLocalTypeIsNamedAsInSourceText() throws {
        final class LocalClock: Sendable {}

        let error = try #require(throws: ResolutionError.self) { try container { _ in }.require(LocalClock.self) }

        #expect(
            error.message == """
                Nothing is registered for 'HeadraceResolutionTests.LocalTypeNameTests.LocalClock'. To fix, add \
                'builder.transient(HeadraceResolutionTests.LocalTypeNameTests.LocalClock.self) { … }', '.scoped' or '.singleton' before \
                'build()', or use 'tryResolve()' if it may be missing.
                """
        )
    }

    @Test func aMissingSetOfAPrivateProtocolIsReportedWithTheLineToAdd() throws {
        let error = try #require(throws: ResolutionError.self) {
            try container { _ in }.require([any PrivateRule].self)
        }

        #expect(
            error.message.contains("'builder.members.transient((any HeadraceResolutionTests.PrivateRule).self) { … }'")
        )
        #expect(!error.message.contains("$"))
    }

    @Test func aMissingDependencyOfASetMemberNamesTheSet() throws {
        let container = container { builder in
            builder.members.transient((any Rule).self) { NamedRule(name: "one") }
            builder.members.transient((any PrivateRule).self, assigned(PrivateAuditedRule.self))
        }

        let error = try #require(throws: ResolutionError.self) { try container.require([any PrivateRule].self) }

        #expect(
            error.message.hasPrefix(
                """
                Nothing is registered for 'HeadraceResolutionTests.PrivateMailer', needed by \
                HeadraceResolutionTests.PrivateRule (HeadraceResolutionTests.PrivateAuditedRule, number 1 of its set). \
                To fix, add 'builder.transient(HeadraceResolutionTests.PrivateMailer.self) { … }'
                """
            )
        )
    }

    @Test func validationAndDrawingsNamePrivateTypesWithoutAddresses() throws {
        let builder = ContainerBuilder()
        builder.transient(PrivateSignUp.self)
        builder.members.transient((any PrivateRule).self, assigned(PrivateAuditedRule.self))

        let error = try #require(throws: CompositionError.self) { try builder.validate() }

        #expect(
            error.problems.first?.message.hasPrefix(
                """
                Nothing is registered for 'HeadraceResolutionTests.PrivateMailer', needed by \
                HeadraceResolutionTests.PrivateSignUp. To fix
                """
            ) == true
        )
        for text in [error.description, builder.graph.mermaid, builder.graph.dot] {
            #expect(text.contains("PrivateAuditedRule"))
            #expect(!text.contains("unknown context"))
        }
    }
}
