// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite
struct DomainEntityExpansionTests {
    @Test(arguments: [
        ("open ", "public "), ("public final ", "public "), ("package ", "package "),
        ("", ""), ("internal final ", ""), ("fileprivate ", ""), ("private ", ""),
    ])
    func aClassGetsAPropertyForItsEventsWithItsAccessLevel(type: String, property: String) {
        expect(
            """
            @DomainEntity
            \(type)class Customer {
                let id: Int
            }
            """,
            expandsTo: """
                \(type)class Customer {
                    let id: Int

                    \(property)var raisedEvents = HeadraceDomain.RaisedEvents()
                }

                extension Customer: HeadraceDomain.HasDomainEvents {
                }
                """
        )
    }

    @Test(arguments: [
        ("@Model", "@Transient"), ("@SwiftData.Model", "@Transient"), ("@Observable", "@ObservationIgnored"),
    ])
    func theEventsAreNeitherStoredNorObserved(attribute: String, property: String) {
        expect(
            """
            \(attribute)
            @DomainEntity
            public final class Customer {
            }
            """,
            expandsTo: """
                \(attribute)
                public final class Customer {

                    \(property) public var raisedEvents = HeadraceDomain.RaisedEvents()
                }

                extension Customer: HeadraceDomain.HasDomainEvents {
                }
                """
        )
    }

    @Test
    func aGlobalActorIsolatesTheConformance() {
        expect(
            """
            @MainActor @DomainEntity
            final class Customer {
            }
            """,
            expandsTo: """
                @MainActor
                final class Customer {

                    var raisedEvents = HeadraceDomain.RaisedEvents()
                }

                extension Customer: @MainActor HeadraceDomain.HasDomainEvents {
                }
                """
        )
    }

    @Test
    func aHandwrittenMemberIsKept() {
        expect(
            """
            @DomainEntity
            class Customer {
                var raisedEvents: RaisedEvents = .init()
            }
            """,
            expandsTo: """
                class Customer {
                    var raisedEvents: RaisedEvents = .init()
                }

                extension Customer: HeadraceDomain.HasDomainEvents {
                }
                """
        )
        expect(
            """
            @DomainEntity
            class Customer: HasDomainEvents {
                static var raisedEvents = 0
            }
            """,
            expandsTo: """
                class Customer: HasDomainEvents {
                    static var raisedEvents = 0

                    var raisedEvents = HeadraceDomain.RaisedEvents()
                }
                """,
            macros: macrosWithoutConformances
        )
    }

    @Test(arguments: [
        ("struct", "a unit of work takes the events from the entity itself, and a struct is copied"),
        ("enum", "a unit of work takes the events from the entity itself, and an enum is copied"),
        ("actor", "a unit of work takes the events synchronously, and an actor has to be awaited"),
        ("protocol", "a protocol stores nothing; let it inherit 'HasDomainEvents'"),
        ("extension", "an extension stores nothing; attach it to the class itself"),
    ])
    func otherTypesThanClassesAreRejectedWithTheReason(keyword: String, reason: String) {
        expect(
            """
            @DomainEntity
            \(keyword) Customer {
            }
            """,
            expandsTo: """
                \(keyword) Customer {
                }
                """,
            saying: DiagnosticSpec(
                message: "'@DomainEntity' can only be attached to a class: \(reason)",
                line: 1,
                column: 1,
                fixIts: [FixItSpec(message: "Remove '@DomainEntity'")]
            ),
            becomes: """

                \(keyword) Customer {
                }
                """
        )
    }
}
#endif
