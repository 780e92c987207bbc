// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite
struct ResolvableDiagnosticsTests {
    @Test(arguments: [
        ("enum", "an enum has no stored properties to resolve"),
        ("protocol", "a protocol has no stored properties to resolve; let it inherit 'Resolvable'"),
        ("extension", "an extension does not see the stored properties; attach it to the type itself"),
    ])
    func typesWithoutStoredPropertiesAreRejectedWithTheReason(keyword: String, reason: String) {
        expect(
            """
            @Resolvable
            \(keyword) Handler {
            }
            """,
            expandsTo: """
                \(keyword) Handler {
                }
                """,
            saying: DiagnosticSpec(
                message: "'@Resolvable' can only be attached to a class, struct or actor: \(reason)",
                line: 1,
                column: 1,
                fixIts: [FixItSpec(message: "Remove '@Resolvable'")]
            ),
            becomes: """

                \(keyword) Handler {
                }
                """
        )
    }

    @Test
    func severalInitializersNeedAMark() {
        expect(
            """
            @Resolvable
            final class Handler {
                // The usual initializer.
                init(api: any Api, _ cache: Cache) {}
                public init(path: String) {}
            }
            """,
            expandsTo: """
                final class Handler {
                    // The usual initializer.
                    init(api: any Api, _ cache: Cache) {}
                    public init(path: String) {}
                }
                """,
            saying: DiagnosticSpec(
                message: """
                    '@Resolvable' does not know which of 2 initializers to use; mark one with '@ResolvableInit'
                    """,
                line: 1,
                column: 1,
                fixIts: [
                    FixItSpec(message: "Mark 'init(api:_:)' with '@ResolvableInit'"),
                    FixItSpec(message: "Mark 'init(path:)' with '@ResolvableInit'"),
                ]
            ),
            applying: ["Mark 'init(api:_:)' with '@ResolvableInit'"],
            becomes: """
                @Resolvable
                final class Handler {
                    // The usual initializer.
                    @ResolvableInit init(api: any Api, _ cache: Cache) {}
                    public init(path: String) {}
                }
                """
        )
    }

    @Test
    func twoMarksAreRejected() {
        expect(
            """
            @Resolvable
            final class Handler {
                @ResolvableInit init(api: any Api) {}
                @ResolvableInit init(path: String) {}
            }
            """,
            expandsTo: """
                final class Handler {
                    init(api: any Api) {}
                    init(path: String) {}
                }
                """,
            saying: DiagnosticSpec(
                message: "'@ResolvableInit' is on 2 initializers; keep it on one",
                line: 4,
                column: 5,
                fixIts: [FixItSpec(message: "Remove '@ResolvableInit'")]
            ),
            becomes: """
                @Resolvable
                final class Handler {
                    @ResolvableInit init(api: any Api) {}
                    init(path: String) {}
                }
                """
        )
    }

    @Test
    func allReasonsAgainstAnInitializerAreReportedAtOnce() {
        func diagnostic(_ reason: String, column: Int) -> DiagnosticSpec {
            DiagnosticSpec(
                message: "'@Resolvable' cannot call 'init(a:b:)', which \(reason); "
                    + "use another initializer by '@ResolvableInit', or write 'init(scope:)'",
                line: 3,
                column: column
            )
        }
        expect(
            """
            @Resolvable
            final class Handler {
                init?<C: Clock>(a: inout C, b: some Clock) async throws {}
            }
            """,
            expandsTo: """
                final class Handler {
                    init?<C: Clock>(a: inout C, b: some Clock) async throws {}
                }
                """,
            saying: diagnostic("may return nil", column: 9),
            diagnostic("is generic", column: 10),
            diagnostic("has an 'inout' parameter", column: 24),
            diagnostic("is generic", column: 36),
            diagnostic("is asynchronous", column: 48),
            diagnostic("throws", column: 54)
        )
    }

    @Test
    func anInitializerThatWouldCallItselfIsRejected() {
        expect(
            """
            @Resolvable
            struct Handler {
                init(scope: any DependencyResolutionScope, retries: Int = 3) {}
            }
            """,
            expandsTo: """
                struct Handler {
                    init(scope: any DependencyResolutionScope, retries: Int = 3) {}
                }
                """,
            saying: DiagnosticSpec(
                message: "'@Resolvable' cannot call 'init(scope:retries:)', "
                    + "which looks like 'init(scope:)' when called; use another initializer by '@ResolvableInit', or write 'init(scope:)'",
                line: 3,
                column: 9
            )
        )
    }

    @Test
    func aMarkInsideACompilationConditionIsRejected() {
        expect(
            """
            @Resolvable
            struct Handler {
                #if DEBUG
                @ResolvableInit init(api: any Api) {}
                #endif
            }
            """,
            expandsTo: """
                struct Handler {
                    #if DEBUG
                    init(api: any Api) {}
                    #endif
                }
                """,
            saying: DiagnosticSpec(
                message: "'@ResolvableInit' has no effect inside '#if'; move 'init(api:)' out of it",
                line: 4,
                column: 5
            )
        )
    }

    @Test
    func aMarkBelongsOnAnInitializerOfAResolvableType() {
        expect(
            """
            @ResolvableInit
            func make() {}
            """,
            expandsTo: """
                func make() {}
                """,
            saying: DiagnosticSpec(
                message: "'@ResolvableInit' can only be attached to an initializer",
                line: 1,
                column: 1,
                fixIts: [FixItSpec(message: "Remove '@ResolvableInit'")]
            )
        )
        expect(
            """
            struct Handler {
                @ResolvableInit init(api: any Api) {}
            }
            """,
            expandsTo: """
                struct Handler {
                    init(api: any Api) {}
                }
                """,
            saying: DiagnosticSpec(
                message: "'@ResolvableInit' has an effect only in the body of a type with '@Resolvable'; "
                    + "move 'init(api:)' there",
                line: 2,
                column: 5,
                fixIts: [FixItSpec(message: "Remove '@ResolvableInit'")]
            ),
            becomes: """
                struct Handler {
                    init(api: any Api) {}
                }
                """
        )
    }

    @Test
    func aTypeThatIsPrivateToAnotherCannotBeExtended() {
        expect(
            """
            enum Outer {
                @Resolvable
                private struct Inner {
                }
            }
            """,
            expandsTo: """
                enum Outer {
                    private struct Inner {

                        nonisolated static var dependencies: HeadraceResolution.Dependencies {
                            HeadraceResolution.Dependencies()
                        }
                    }
                }
                """,
            saying: DiagnosticSpec(
                message: "'@Resolvable' cannot extend a type that is private to another; make it 'fileprivate'",
                line: 3,
                column: 5,
                fixIts: [FixItSpec(message: "Replace 'private' with 'fileprivate'")]
            ),
            becomes: """
                enum Outer {
                    @Resolvable
                    fileprivate struct Inner {
                    }
                }
                """
        )
        expect(
            """
            enum Outer {
                private enum Middle {
                    @Resolvable
                    struct Inner {
                    }
                }
            }
            """,
            expandsTo: """
                enum Outer {
                    private enum Middle {
                        struct Inner {

                            nonisolated static var dependencies: HeadraceResolution.Dependencies {
                                HeadraceResolution.Dependencies()
                            }
                        }
                    }
                }
                """,
            saying: DiagnosticSpec(
                message: "'@Resolvable' cannot extend a type inside one that is private to another; "
                    + "make that one 'fileprivate'",
                line: 3,
                column: 9
            )
        )
    }
}
#endif
