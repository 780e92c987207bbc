// SPDX-License-Identifier: Apache-2.0

#if Macros
import HeadraceMacros
import HeadraceResolution
import Observation
import Testing

@Suite
struct ResolvableUseTests {
    @Test
    func aHandlerIsCreatedFromRegisteredTypes() {
        let container = container { $0.transient(GetInfoQueryHandler.self) }

        let handler: GetInfoQueryHandler = container.resolve()

        #expect(handler.handle("rain") == "rain by the network")
    }

    @Test
    func aModelKeepsItsOwnValues() {
        let container = container { $0.transient(ExampleModel.self) }

        let model: ExampleModel = container.resolve()

        #expect(model.displayedError == nil)
        #expect(model.selected.name == "the network")
        #expect(model.preset == "preset" && model.given == 5)
        #expect(model.api.name == "the network")
    }

    @Test
    func optionalsResolveToTheRegisteredObjectOrNil() {
        let model: Optionals = container { $0.transient(Optionals.self) }.resolve()

        #expect(model.api?.name == "the network")
        #expect(model.cache == nil && model.forced == nil && model.weakly == nil)
    }

    @Test
    func aStructKeepsItsMemberwiseInitializer() {
        let resolved: Plan<String> = container { $0.transient(Plan<String>.self) }.resolve()
        let byHand = Plan(api: Network(name: "a fake"), subject: "none", tries: 1)

        #expect(resolved.api.name == "the network" && resolved.subject == "weather")
        #expect(byHand.api.name == "a fake")
    }

    @Test
    func aConformanceThatIsStatedIsNotRepeated() {
        let stated: Stated = container { $0.transient(Stated.self) }.resolve()

        #expect(stated.api.name == "the network")
    }

    @Test
    func anActorIsCreatedFromRegisteredTypes() async {
        let cache: SharedCache = container { $0.singleton(SharedCache.self) }.resolve()

        #expect(await cache.describe() == "the network, 3")
    }

    @Test
    func theOnlyInitializerIsCalledAndItsDefaultsStay() {
        let uploader: Uploader = container { $0.transient(Uploader.self) }.resolve()

        #expect(uploader.api.name == "the network" && uploader.chunkSize == 4096)
    }

    @Test
    func theMarkedInitializerIsCalledInASubclassToo() {
        let job: UrgentJob = container { $0.transient(UrgentJob.self) }.resolve()

        #expect(job.subject == "weather" && job.priority == 9)
    }

    @Test
    func aSubclassOfAClassWithAnInitIsCreatedCompletely() {
        let screen: DetailScreen = container { $0.transient(DetailScreen.self) }.resolve()

        #expect(screen.title == "base" && screen.api.name == "the network")
    }

    @Test
    func nestedGenericAndPrivateTypesConform() {
        let scope = container { _ in }

        #expect(Outer.Inner<String>(scope: scope).element == "weather")
        #expect(Hidden(scope: scope).api.name == "the network")
        #expect(Outer.hiddenName(in: scope) == "the network")
        #expect(Outer.Open(scope: scope).api.name == "the network")
        #expect(PublicHandler(scope: scope).api.name == "the network")
    }

    @Test
    func anObservableModelIsCreatedFromRegisteredTypes() {
        let model: WatchedModel = container { $0.transient(WatchedModel.self) }.resolve()

        #expect(model.api.name == "the network" && model.count == 0)
    }

    @Test @MainActor
    func aMainActorModelMayHoldNonSendableObjects() {
        let container = container {
            $0.transient(MainModel.self)
            $0.transient { Window() }
        }

        let model: MainModel = container.resolve()

        #expect(model.window.title == "window" && model.shown.title == "window")
    }

    @Test
    func aMainActorModelWithANonisolatedInitializerIsCreatedAnywhere() {
        let container = container { $0.transient(FreeModel.self) }

        let model: FreeModel = container.resolve()

        #expect(model.subject == "weather")
    }

    #if os(Linux) || os(macOS)
    @Test
    func aMainActorModelIsNotCreatedElsewhere() async {
        await #expect(processExitsWith: .failure) {
            let builder = ContainerBuilder()
            builder.transient { Window() }
            let container = builder.build()
            await Task.detached { _ = container.made(MainModel.self) }.value
        }
    }
    #endif

    @Test
    func propertiesInsideACompilationConditionAreResolvedToo() {
        let model: Conditional = container { $0.transient(Conditional.self) }.resolve()

        #expect(model.subject == "weather")
    }

    private func container(_ register: (ContainerBuilder) -> Void) -> Container {
        let builder = ContainerBuilder()
        builder.singleton((any Api).self) { Network(name: "the network") }
        builder.transient { "weather" }
        register(builder)
        return builder.build()
    }
}

extension DependencyResolutionScope {
    /// Creates an object of `type` through its conformance.
    fileprivate func made<T: Resolvable>(_ type: T.Type) -> T {
        T(scope: self)
    }
}

// MARK: Fixtures

protocol Api: Sendable {
    var name: String { get }
}

private struct Network: Api {
    let name: String
}

private struct Missing {}
private final class MissingObject {}

private final class Window {
    let title = "window"
}

@Resolvable
private class GetInfoQueryHandler {
    private let api: any Api

    func handle(_ subject: String) -> String { "\(subject) by \(api.name)" }
}

@Resolvable
class ExampleModel {
    @Published private(set) var displayedError: (any Error)? = nil
    @Published var selected: any Api
    @Preset() var preset: String
    @Preset(5) var given: Int
    let api: any Api
    lazy var title: String = api.name
    let limit = 3
    static let shared = 1
    var observed: String { didSet { title = observed } }
}

@Resolvable
private final class Optionals {
    var api: (any Api)?
    var cache: Missing?
    // The test is about this line.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    var forced: Missing!
    weak var weakly: MissingObject?
}

@Resolvable
private struct Stated: Resolvable {
    let api: any Api
}

@Resolvable
private struct Plan<Subject> {
    let api: any Api, subject: Subject
    var tries = 3
}

@Resolvable
private actor SharedCache {
    private let api: any Api
    private var limit = 3

    func describe() -> String { "\(api.name), \(limit)" }
}

@Resolvable
private final class Uploader {
    let api: any Api
    let chunkSize: Int

    init(_ api: any Api, chunkSize: Int = 4096) {
        self.api = api
        self.chunkSize = chunkSize
    }
}

@Resolvable
private class Job {
    let subject: String

    @ResolvableInit
    init(about subject: String) {
        self.subject = subject
    }

    init() {
        subject = "nothing"
    }
}

private final class UrgentJob: Job {
    let priority = 9
}

private class Screen {
    let title: String

    init() {
        title = "base"
    }
}

@Resolvable
private final class DetailScreen: Screen {
    let api: any Api
}

private enum Outer {
    @Resolvable
    struct Inner<Element> {
        let element: Element
    }

    @Resolvable
    fileprivate final class HiddenInside {
        let api: any Api
    }

    static func hiddenName(in scope: any DependencyResolutionScope) -> String {
        HiddenInside(scope: scope).api.name
    }
}

extension Outer {
    @Resolvable
    fileprivate class Open {
        let api: any Api
    }
}

@Resolvable
fileprivate struct Hidden {
    let api: any Api
}

@Observable @Resolvable
private final class WatchedModel {
    var api: any Api
    var count = 0
}

@MainActor @Resolvable
private final class MainModel {
    let window: Window
    @Published var shown: Window
}

@MainActor @Resolvable
private final class FreeModel {
    let subject: String

    nonisolated init(subject: String) {
        self.subject = subject
    }
}

@Resolvable
private final class Conditional {
    #if Macros
    let subject: String
    #else
    let other: Missing
    #endif
}
#endif
