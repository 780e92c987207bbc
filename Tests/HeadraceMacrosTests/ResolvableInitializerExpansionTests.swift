// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// The initializer that `@Resolvable` calls, if the type declares an initializer.
@Suite
struct ResolvableInitializerExpansionTests {
    @Test
    func theOnlyInitializerIsCalledWithoutItsDefaults() {
        expect(
            """
            @Resolvable
            public class Handler {
                init(api: any Api, _ cache: Cache, limit: Int = 3, tags: String..., by clock: some Clock = Wall()) {}
                @available(*, unavailable) required init?(coder: Coder) {}
            }
            """,
            expandsTo: """
                public class Handler {
                    init(api: any Api, _ cache: Cache, limit: Int = 3, tags: String..., by clock: some Clock = Wall()) {}
                    @available(*, unavailable) required init?(coder: Coder) {}

                    public nonisolated required convenience init(scope: any HeadraceResolution.DependencyResolutionScope) {
                        self.init(api: scope.resolve(), scope.resolve())
                    }

                    public nonisolated static var dependencies: HeadraceResolution.Dependencies {
                        HeadraceResolution.Dependencies(of: Handler.self)
                            .on((any Api).self)
                            .on(Cache.self)
                    }
                }

                extension Handler: HeadraceResolution.Resolvable {
                }
                """
        )
    }

    @Test
    func ofSeveralInitializersTheMarkedOneIsCalled() {
        expect(
            """
            @Resolvable
            final class Handler {
                init(path: String) {}
                @ResolvableInit
                init(api: any Api) {}
            }
            """,
            expandsTo: """
                final class Handler {
                    init(path: String) {}
                    init(api: any Api) {}

                    nonisolated convenience init(scope: any HeadraceResolution.DependencyResolutionScope) {
                        self.init(api: scope.resolve())
                    }

                    nonisolated static var dependencies: HeadraceResolution.Dependencies {
                        HeadraceResolution.Dependencies()
                            .on((any Api).self)
                    }
                }

                extension Handler: HeadraceResolution.Resolvable {
                }
                """
        )
    }

    @Test
    func aHandwrittenMemberIsKept() {
        expect(
            """
            @Resolvable
            struct Handler {
                let api: any Api
                init(scope: any DependencyResolutionScope) { api = scope.resolve() }
            }
            """,
            expandsTo: """
                struct Handler {
                    let api: any Api
                    init(scope: any DependencyResolutionScope) { api = scope.resolve() }
                }

                extension Handler: HeadraceResolution.Resolvable {
                }
                """
        )
        expect(
            """
            @Resolvable
            struct Handler: Resolvable {
            }
            @Resolvable
            final class Other: Resolvable {
            }
            """,
            expandsTo: """
                struct Handler: Resolvable {

                    nonisolated static var dependencies: HeadraceResolution.Dependencies {
                        HeadraceResolution.Dependencies()
                    }
                }
                final class Other: Resolvable {

                    nonisolated init(scope: any HeadraceResolution.DependencyResolutionScope) {
                    }

                    nonisolated static var dependencies: HeadraceResolution.Dependencies {
                        HeadraceResolution.Dependencies()
                    }
                }

                extension Handler {
                    nonisolated init(scope: any HeadraceResolution.DependencyResolutionScope) {
                    }
                }
                """,
            macros: macrosWithoutConformances
        )
    }
}
#endif
