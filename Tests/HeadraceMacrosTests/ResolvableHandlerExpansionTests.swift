// SPDX-License-Identifier: Apache-2.0
#if Macros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite
struct ResolvableHandlerExpansionTests {
    @Test
    func aGlobalActorReachesTheMethodOfAHandlerAndNotItsInitializer() {
        expect(
            """
            @MainActor @Resolvable
            final class ShowMessageHandler: HandlesCommand {
                let screen: Screen

                func handle(_ command: ShowMessage) async throws {
                    screen.show(command.text)
                }

                func close() async {}
            }
            """,
            expandsTo: """
                @MainActor
                final class ShowMessageHandler: HandlesCommand {
                    let screen: Screen
                    @MainActor

                    func handle(_ command: ShowMessage) async throws {
                        screen.show(command.text)
                    }

                    func close() async {}

                    nonisolated init(scope: any HeadraceResolution.DependencyResolutionScope) {
                        self.screen = scope.resolve()
                    }

                    nonisolated static var dependencies: HeadraceResolution.Dependencies {
                        HeadraceResolution.Dependencies()
                            .on(Screen.self)
                    }
                }

                extension ShowMessageHandler: HeadraceResolution.Resolvable {
                }
                """
        )
    }

    @Test
    func anInitializerOfAHandlerStaysIsolatedUnlessItIsNonisolated() {
        expect(
            """
            @MainActor @Resolvable
            final class Handler {
                init(screen: Screen) {}
                func handle(_ event: Shown) async {}
            }
            """,
            expandsTo: """
                @MainActor
                final class Handler {
                    init(screen: Screen) {}
                    @MainActor
                    func handle(_ event: Shown) async {}

                    convenience init(scope: any HeadraceResolution.DependencyResolutionScope) {
                        self.init(screen: scope.resolve())
                    }

                    nonisolated static var dependencies: HeadraceResolution.Dependencies {
                        HeadraceResolution.Dependencies()
                            .on(Screen.self)
                    }
                }

                extension Handler: @preconcurrency HeadraceResolution.Resolvable {
                }
                """
        )
    }

    @Test(arguments: [
        "@DatabaseActor func handle(_ command: Save) async {}",
        "@concurrent func handle(_ command: Save) async {}",
        "nonisolated func handle(_ command: Save) async {}",
        "nonisolated(nonsending) func handle(_ command: Save) async {}",
        "static func handle(_ command: Save) async {}",
        "func handle(command: Save) async {}",
        "func handle(_ command: Save, again: Bool) async {}",
    ])
    func aMethodThatStatesItsIsolationOrIsNotAHandlerIsUnchanged(method: String) {
        expect(
            """
            @MainActor @Resolvable
            struct Handler {
                \(method)
                nonisolated init(scope: any DependencyResolutionScope) {}
            }
            """,
            expandsTo: """
                @MainActor
                struct Handler {
                    \(method)
                    nonisolated init(scope: any DependencyResolutionScope) {}
                }

                extension Handler: HeadraceResolution.Resolvable {
                }
                """
        )
    }

    @Test
    func aHandlerWithoutAGlobalActorIsUnchanged() {
        expect(
            """
            @Resolvable
            struct Handler {
                func handle(_ command: Save) async {}
                init(scope: any DependencyResolutionScope) {}
            }
            """,
            expandsTo: """
                struct Handler {
                    func handle(_ command: Save) async {}
                    init(scope: any DependencyResolutionScope) {}
                }

                extension Handler: HeadraceResolution.Resolvable {
                }
                """
        )
    }
}
#endif
