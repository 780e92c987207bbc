// SPDX-License-Identifier: Apache-2.0

#if Macros
import HeadraceMacros
@testable import HeadraceResolution
import Testing

/// The dependencies that `@Resolvable` states.
@Suite
struct ResolvableDependenciesTests {
    @Test
    func theAttributesOfAParameterAreNotPartOfTheType() {
        expect(
            """
            @Resolvable
            final class Handler {
                init(
                    _ log: @escaping @Sendable (String) -> Void,
                    clock: @autoclosure () -> any Clock,
                    cache: consuming Cache,
                    forced: Book!,
                    both: A & B
                ) {}
            }
            """,
            expandsTo: """
                final class Handler {
                    init(
                        _ log: @escaping @Sendable (String) -> Void,
                        clock: @autoclosure () -> any Clock,
                        cache: consuming Cache,
                        forced: Book!,
                        both: A & B
                    ) {}

                    nonisolated convenience init(scope: any HeadraceResolution.DependencyResolutionScope) {
                        self.init(scope.resolve(), clock: scope.resolve(), cache: scope.resolve(), forced: scope.resolve(), both: scope.resolve())
                    }

                    nonisolated static var dependencies: HeadraceResolution.Dependencies {
                        HeadraceResolution.Dependencies()
                            .on((@Sendable (String) -> Void).self)
                            .on((any Clock).self)
                            .on(Cache.self)
                            .on(Book?.self)
                            .on((A & B).self)
                    }
                }

                extension Handler: HeadraceResolution.Resolvable {
                }
                """
        )
    }

    @Test
    func aTypeInferredFromAWrapperIsUnknown() {
        expect(
            """
            @Resolvable
            struct Screen {
                let a, b: Page
                @Shown<Title> var title
            }
            """,
            expandsTo: """
                struct Screen {
                    let a, b: Page
                    @Shown<Title> var title

                    nonisolated static var dependencies: HeadraceResolution.Dependencies {
                        HeadraceResolution.Dependencies.unknown
                            .on(Page.self)
                            .on(Page.self)
                    }
                }

                extension Screen: HeadraceResolution.Resolvable {
                    nonisolated init(scope: any HeadraceResolution.DependencyResolutionScope) {
                        self.a = scope.resolve()
                        self.b = scope.resolve()
                        self.title = scope.resolve()
                    }
                }
                """
        )
    }

    @Test
    func aHandwrittenStatementIsKeptAndAHandwrittenInitializerIsNotRead() {
        expect(
            """
            @Resolvable
            final class Handler {
                static let dependencies = Dependencies()
                let api: any Api
            }
            @Resolvable
            final class Other {
                let api: any Api
                init(scope: any DependencyResolutionScope) { api = scope.resolve() }
            }
            """,
            expandsTo: """
                final class Handler {
                    static let dependencies = Dependencies()
                    let api: any Api

                    nonisolated init(scope: any HeadraceResolution.DependencyResolutionScope) {
                        self.api = scope.resolve()
                    }
                }
                final class Other {
                    let api: any Api
                    init(scope: any DependencyResolutionScope) { api = scope.resolve() }
                }

                extension Handler: HeadraceResolution.Resolvable {
                }

                extension Other: HeadraceResolution.Resolvable {
                }
                """
        )
    }

    @Test
    func aClassThatInheritsTheConformanceOverridesTheInitializerAndStatesNothing() {
        expect(
            """
            @Resolvable
            final class Handler: Base {
                let api: any Api
            }
            """,
            expandsTo: """
                final class Handler: Base {
                    let api: any Api

                    nonisolated required init(scope: any HeadraceResolution.DependencyResolutionScope) {
                        self.api = scope.resolve()
                    }
                }
                """,
            macros: macrosWithoutConformances
        )
    }

    @Test
    func compiledTypesStateTheirDependencies() {
        #expect(names(of: Kiosk.self) == ["Kiosk.Stock", "Optional<Till>"])
        #expect(Kiosk.dependencies.isComplete)
        #expect(names(of: Machine.self) == ["Till"])
        #expect(names(of: Counter<Till>.self) == ["Till", "Array<Till>"])
    }

    @Test
    func theDependenciesOfASubclassAreUnknown() {
        #expect(Base.ownDependencies.isComplete)
        #expect(!Derived.ownDependencies.isComplete)
        #expect(!Inherited.ownDependencies.isComplete)
    }

    @Test
    func aMissingDependencyOfAResolvableTypeIsFound() throws {
        let builder = ContainerBuilder()
        builder.transient(Kiosk.self)

        let error = #expect(throws: CompositionError.self) { try builder.validate() }

        #expect(error?.problems.map(\.kind) == [.missing])
        #expect(error?.problems.first?.path.map { String(describing: $0) } == ["Kiosk", "Stock"])
    }

    private func names<T: Resolvable>(of type: T.Type) -> [String] {
        type.ownDependencies.stated.map { dependency in
            String(reflecting: dependency.contract)
                .replacing("HeadraceMacrosTests.", with: "").replacing("Swift.", with: "")
        }
    }
}

// MARK: Fixtures

final class Till: Sendable {}

/// The macro copies the name of a dependency, and `Stock` alone is found only inside this type.
@Resolvable
struct Kiosk {
    struct Stock {}

    let stock: Stock
    var till: Till?
}

@MainActor @Resolvable
final class Machine {
    let till: Till
}

@Resolvable
actor Counter<Content> {
    let content: Content
    #if Macros
    let all: [Content]
    #else
    let nothing: Int
    #endif
}

@Resolvable
class Base {
    let till: Till?

    init() {
        till = nil
    }
}

@Resolvable
final class Derived: Base {
    let other: Till
}

final class Inherited: Base {}
#endif
