// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// The expansion of `@Resolvable` for each kind of type.
@Suite
struct ResolvableExpansionTests {
    @Test
    func theStoredPropertiesOfAFinalClassAreResolvedInTheOrderDeclared() {
        expect(
            """
            @Resolvable
            final class Handler {
                private let api: any Api
                private let analytics: AnalyticsEngine
            }
            """,
            expandsTo: """
                final class Handler {
                    private let api: any Api
                    private let analytics: AnalyticsEngine

                    nonisolated init(scope: any HeadraceResolution.DependencyResolutionScope) {
                        self.api = scope.resolve()
                        self.analytics = scope.resolve()
                    }

                    nonisolated static var dependencies: HeadraceResolution.Dependencies {
                        HeadraceResolution.Dependencies()
                            .on((any Api).self)
                            .on(AnalyticsEngine.self)
                    }
                }

                extension Handler: HeadraceResolution.Resolvable {
                }
                """
        )
    }

    @Test
    func aClassThatIsNotFinalRequiresTheInitializerOfItsSubclasses() {
        expect(
            """
            @Resolvable
            class Handler {
                private let api: any Api
            }
            """,
            expandsTo: """
                class Handler {
                    private let api: any Api

                    nonisolated required init(scope: any HeadraceResolution.DependencyResolutionScope) {
                        self.api = scope.resolve()
                    }

                    nonisolated static var dependencies: HeadraceResolution.Dependencies {
                        HeadraceResolution.Dependencies(of: Handler.self)
                            .on((any Api).self)
                    }
                }

                extension Handler: HeadraceResolution.Resolvable {
                }
                """
        )
    }

    @Test
    func aStructGetsTheInitializerInTheExtensionAndAnActorIsolatesNothing() {
        expect(
            """
            @Resolvable
            struct Plan {
                let api: any Api
            }
            @Resolvable
            actor Cache {
                let api: any Api
            }
            """,
            expandsTo: """
                struct Plan {
                    let api: any Api

                    nonisolated static var dependencies: HeadraceResolution.Dependencies {
                        HeadraceResolution.Dependencies()
                            .on((any Api).self)
                    }
                }
                actor Cache {
                    let api: any Api

                    init(scope: any HeadraceResolution.DependencyResolutionScope) {
                        self.api = scope.resolve()
                    }

                    nonisolated static var dependencies: HeadraceResolution.Dependencies {
                        HeadraceResolution.Dependencies()
                            .on((any Api).self)
                    }
                }

                extension Plan: HeadraceResolution.Resolvable {
                    nonisolated init(scope: any HeadraceResolution.DependencyResolutionScope) {
                        self.api = scope.resolve()
                    }
                }

                extension Cache: HeadraceResolution.Resolvable {
                }
                """
        )
    }

    @Test(arguments: [
        ("open ", "public "), ("public ", "public "), ("package ", "package "),
        ("", ""), ("internal ", ""), ("fileprivate ", ""), ("private ", ""),
    ])
    func theAccessLevelOfTheTypeIsCopiedAsFarAsItIsNeeded(type: String, initializer: String) {
        expect(
            """
            @Resolvable
            \(type)class Handler {
            }
            """,
            expandsTo: """
                \(type)class Handler {

                    \(initializer)nonisolated required init(scope: any HeadraceResolution.DependencyResolutionScope) {
                    }

                    \(initializer)nonisolated static var dependencies: HeadraceResolution.Dependencies {
                        HeadraceResolution.Dependencies(of: Handler.self)
                    }
                }

                extension Handler: HeadraceResolution.Resolvable {
                }
                """
        )
    }

    @Test
    func aNestedTypeTakesTheAccessLevelOfTheExtensionAroundIt() {
        expect(
            """
            public extension Outer {
                @Resolvable
                final class Inner<Element> {
                    let element: Element
                }
            }
            """,
            expandsTo: """
                public extension Outer {
                    final class Inner<Element> {
                        let element: Element

                        public nonisolated init(scope: any HeadraceResolution.DependencyResolutionScope) {
                            self.element = scope.resolve()
                        }

                        public nonisolated static var dependencies: HeadraceResolution.Dependencies {
                            HeadraceResolution.Dependencies()
                                .on(Element.self)
                        }
                    }
                }

                extension Outer.Inner: HeadraceResolution.Resolvable {
                }
                """
        )
    }

    @Test
    func aGlobalActorIsolatesTheInitializerUnlessItCallsANonisolatedOne() {
        expect(
            """
            @MainActor @Resolvable
            final class Screen {
                let window: Window
            }
            @DatabaseActor @Resolvable
            final class Table {
                nonisolated init(rows: Rows) {}
            }
            """,
            expandsTo: """
                @MainActor
                final class Screen {
                    let window: Window

                    init(scope: any HeadraceResolution.DependencyResolutionScope) {
                        self.window = scope.resolve()
                    }

                    nonisolated static var dependencies: HeadraceResolution.Dependencies {
                        HeadraceResolution.Dependencies()
                            .on(Window.self)
                    }
                }
                @DatabaseActor
                final class Table {
                    nonisolated init(rows: Rows) {}

                    nonisolated convenience init(scope: any HeadraceResolution.DependencyResolutionScope) {
                        self.init(rows: scope.resolve())
                    }

                    nonisolated static var dependencies: HeadraceResolution.Dependencies {
                        HeadraceResolution.Dependencies()
                            .on(Rows.self)
                    }
                }

                extension Screen: @preconcurrency HeadraceResolution.Resolvable {
                }

                extension Table: HeadraceResolution.Resolvable {
                }
                """
        )
    }
}
#endif
