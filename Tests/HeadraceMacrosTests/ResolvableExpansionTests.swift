//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Macros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite
struct ResolvableExpansionTests {
    @Test
    func aFinalClassHasItsStoredPropertiesResolvedInTheOrderDeclared() {
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
    func aClassThatIsNotFinalRequiresTheInitialiserOfItsSubclasses() {
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
    func aStructGetsTheInitialiserInTheExtensionAndAnActorIsolatesNothing() {
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
    func theAccessLevelOfTheTypeIsCopiedAsFarAsItIsNeeded(type: String, initialiser: String) {
        expect(
            """
            @Resolvable
            \(type)class Handler {
            }
            """,
            expandsTo: """
                \(type)class Handler {

                    \(initialiser)nonisolated required init(scope: any HeadraceResolution.DependencyResolutionScope) {
                    }

                    \(initialiser)nonisolated static var dependencies: HeadraceResolution.Dependencies {
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
    func propertiesThatNeedNoValueAreLeftAlone() {
        expect(
            """
            @Resolvable
            final class Model {
                static let shared = 1
                static var limit: Int?
                lazy var total: Int = 1
                var double: Int { 2 }
                var triple: Int { get { 3 } set {} }
                let one = 1
                var two: Int = 2
                @Published private(set) var displayedError: Error? = nil
                @Inject(\\.store) var store: Store
                @Injected() var other: Store
                private let dispatcher: CommandQueryDispatcher
            }
            """,
            expandsTo: """
                final class Model {
                    static let shared = 1
                    static var limit: Int?
                    lazy var total: Int = 1
                    var double: Int { 2 }
                    var triple: Int { get { 3 } set {} }
                    let one = 1
                    var two: Int = 2
                    @Published private(set) var displayedError: Error? = nil
                    var store: Store {
                        get {
                            HeadraceResolution.Inject(\\.store).wrappedValue
                        }
                    }
                    @Injected() var other: Store
                    private let dispatcher: CommandQueryDispatcher

                    nonisolated init(scope: any HeadraceResolution.DependencyResolutionScope) {
                        self.dispatcher = scope.resolve()
                    }

                    nonisolated static var dependencies: HeadraceResolution.Dependencies {
                        HeadraceResolution.Dependencies()
                            .on(CommandQueryDispatcher.self)
                    }
                }

                extension Model: HeadraceResolution.Resolvable {
                }
                """
        )
    }

    @Test
    func propertiesWithoutAValueAreResolvedHoweverTheyAreWritten() {
        expect(
            """
            @Resolvable
            final class Model {
                let a: A, b: B
                var c: C?
                var d: D!
                weak var e: E?
                var f: F { didSet {} }
                let (g, h): (G, H)
                let `default`: I
                @Published var j: J
                @available(*, deprecated) var k: K
                @objc(l) let l: L
            }
            """,
            expandsTo: """
                final class Model {
                    let a: A, b: B
                    var c: C?
                    var d: D!
                    weak var e: E?
                    var f: F { didSet {} }
                    let (g, h): (G, H)
                    let `default`: I
                    @Published var j: J
                    @available(*, deprecated) var k: K
                    @objc(l) let l: L

                    nonisolated init(scope: any HeadraceResolution.DependencyResolutionScope) {
                        self.a = scope.resolve()
                        self.b = scope.resolve()
                        self.c = scope.resolve()
                        self.d = scope.resolve()
                        self.e = scope.resolve()
                        self.f = scope.resolve()
                        self.g = scope.resolve()
                        self.h = scope.resolve()
                        self.`default` = scope.resolve()
                        self.j = scope.resolve()
                        self.k = scope.resolve()
                        self.l = scope.resolve()
                    }

                    nonisolated static var dependencies: HeadraceResolution.Dependencies {
                        HeadraceResolution.Dependencies()
                            .on(A.self)
                            .on(B.self)
                            .on(C?.self)
                            .on(D?.self)
                            .on(E?.self)
                            .on(F.self)
                            .on(G.self)
                            .on(H.self)
                            .on(I.self)
                            .on(J.self)
                            .on(K.self)
                            .on(L.self)
                    }
                }

                extension Model: HeadraceResolution.Resolvable {
                }
                """
        )
    }

    @Test
    func aPropertyInsideACompilationConditionIsResolvedInsideIt() {
        expect(
            """
            @Resolvable
            actor Model {
                #if DEBUG
                let probe: Probe
                #elseif os(Linux)
                func nothing() {}
                #else
                let a: A
                #endif
                #if DEBUG
                init(preview: Int) {}
                #endif
            }
            """,
            expandsTo: """
                actor Model {
                    #if DEBUG
                    let probe: Probe
                    #elseif os(Linux)
                    func nothing() {}
                    #else
                    let a: A
                    #endif
                    #if DEBUG
                    init(preview: Int) {}
                    #endif

                    init(scope: any HeadraceResolution.DependencyResolutionScope) {
                        #if DEBUG
                        self.probe = scope.resolve()
                        #elseif os(Linux)
                        #else
                        self.a = scope.resolve()
                        #endif
                    }

                    nonisolated static var dependencies: HeadraceResolution.Dependencies {
                        HeadraceResolution.Dependencies()
                            #if DEBUG
                            .on(Probe.self)
                            #elseif os(Linux)
                            #else
                            .on(A.self)
                            #endif
                    }
                }

                extension Model: HeadraceResolution.Resolvable {
                }
                """
        )
    }

    @Test
    func theOneInitialiserIsCalledAndDefaultsAreLeftToIt() {
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
    func ofSeveralInitialisersTheMarkedOneIsCalled() {
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
    func whatIsWrittenByHandIsKept() {
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

    @Test
    func aGlobalActorIsolatesTheInitialiserUnlessWhatItCallsIsNonisolated() {
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
