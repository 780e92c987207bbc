// SPDX-License-Identifier: Apache-2.0

#if Macros
import HeadraceMacros
import HeadraceResolution
import SwiftSyntaxMacrosGenericTestSupport
import Testing

private struct Greeter {
    let scope: any DependencyResolutionScope

    @Resolved var greeting: String
    @Resolved var signature: Int?
}

@Suite struct ResolvedTests {
    @Test func aPropertyIsReadFromTheScope() {
        expect(
            """
            struct RootView {
                @Resolved private var dispatcher: any CommandQueryDispatcher
            }
            """,
            expandsTo: """
                struct RootView {
                    private var dispatcher: any CommandQueryDispatcher {
                        get {
                            scope.resolve()
                        }
                    }
                }
                """
        )
    }

    @Test func aPropertyResolvesItsType() {
        let builder = ContainerBuilder()
        builder.transient { "hello" }

        let greeter = Greeter(scope: builder.build())

        #expect(greeter.greeting == "hello")
        #expect(greeter.signature == nil)
    }

    @Test func aConstantIsRejectedWithAFix() {
        expect(
            """
            struct RootView {
                @Resolved let name: String
            }
            """,
            expandsTo: """
                struct RootView {
                    let name: String
                }
                """,
            saying: DiagnosticSpec(
                message: "'@Resolved' resolves the property at each access; declare it with 'var'",
                line: 2,
                column: 15,
                fixIts: [FixItSpec(message: "Replace 'let' with 'var'")]
            )
        )
    }

    @Test func aValueIsRejected() {
        expect(
            """
            struct RootView {
                @Resolved var name: String = "x"
            }
            """,
            expandsTo: """
                struct RootView {
                    var name: String = "x"
                }
                """,
            saying: DiagnosticSpec(
                message: "'@Resolved' supplies the value of the property; remove this value",
                line: 2,
                column: 32
            )
        )
    }

    @Test func aViewGetsTheScopeOfItsEnvironment() {
        expect(
            """
            @ResolvedScope
            struct RootView: View {
                @Resolved private var dispatcher: any CommandQueryDispatcher
            }
            """,
            expandsTo: #"""
                struct RootView: View {
                    private var dispatcher: any CommandQueryDispatcher {
                        get {
                            scope.resolve()
                        }
                    }

                    @SwiftUI.Environment(\.scope) private var scope
                }
                """#
        )
    }

    @Test func onlyAStructHasAnEnvironment() {
        expect(
            """
            @ResolvedScope
            final class Model {
            }
            """,
            expandsTo: """
                final class Model {
                }
                """,
            saying: DiagnosticSpec(
                message:
                    "'@ResolvedScope' can only be attached to a struct: only a SwiftUI view has an environment",
                line: 1,
                column: 1,
                fixIts: [FixItSpec(message: "Remove '@ResolvedScope'")]
            )
        )
    }
}
#endif
