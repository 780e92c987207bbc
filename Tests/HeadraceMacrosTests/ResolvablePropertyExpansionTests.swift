// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// The properties that `@Resolvable` resolves, and the properties that it ignores.
@Suite
struct ResolvablePropertyExpansionTests {
    @Test
    func propertiesThatNeedNoValueAreIgnored() {
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
    func propertiesWithoutAValueAreResolvedInEverySpelling() {
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
}
#endif
