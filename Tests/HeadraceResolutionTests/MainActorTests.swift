// SPDX-License-Identifier: Apache-2.0

import HeadraceResolution
import Testing

@Suite @MainActor struct MainActorTests {
    @Test func aFactoryMayCaptureMainActorState() {
        let context = ModelContext()

        let container = container { $0.transient(on: MainActor.self) { context } }

        #expect(container.resolve(ModelContext.self) === context)
        #expect(container.tryResolve(ModelContext.self) === context)
        #expect(container.scope().resolve(ModelContext?.self) === context)
    }

    @Test func everyLifetimeWorksForNonSendableObjects() {
        let transient = container { $0.transient(on: MainActor.self) { ModelContext() } }
        let scoped = container { $0.onMainActor(.scoped) { _ in ModelContext() } }
        let singleton = container { $0.onMainActor(.singleton) { _ in ModelContext() } }

        #expect(sharing(transient) == [false, false])
        #expect(sharing(scoped) == [true, false])
        #expect(sharing(singleton) == [true, true])
    }

    @Test func aContractIsCreatedWithDependenciesFromItsScope() {
        let container = container { builder in
            builder.singleton { Settings() }
            builder.transient(on: MainActor.self) { (settings: Settings) in ModelContext(settings: settings) }
            builder.onMainActor(.transient, (any Saving).self) { ModelContext(settings: $0.resolve()) }
            builder.onMainActor(.scoped, (any Loading).self) { _ in ModelContext() }
        }

        #expect(container.resolve((any Saving).self).settings === container.resolve(Settings.self))
        #expect(container.resolve(ModelContext.self).settings === container.resolve(Settings.self))
        #expect(container.resolve((any Loading).self) === container.resolve((any Loading).self))
    }

    @Test func aDependentObjectIsCreatedOnTheMainActorToo() {
        let container = container { builder in
            builder.onMainActor(.singleton) { _ in ModelContext() }
            builder.transient { ContextHandler(context: $0.resolve()) }
        }

        #expect(container.resolve(ContextHandler.self).context === container.resolve(ModelContext.self))
    }

    @Test func theFormStatesTheDependenciesOfItsFactory() {
        let builder = builder { builder in
            builder.transient(on: MainActor.self) { ModelContext() }
            builder.onMainActor(.transient, (any Saving).self) { ModelContext(settings: $0.resolve()) }
        }

        #expect(builder.graph.opaque.map { "\($0)" } == ["Saving"])
    }

    @Test(arguments: [false, true])
    func resolvingElsewhereStopsTheProgramWithAFix(tries: Bool) async {
        let result =
            if tries {
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    let container = await contextContainer()
                    await Task.detached { _ = container.tryResolve(ContextHandler.self) }.value
                }
            } else {
                // The object exists already: resolving it again is checked as well.
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    let container = await contextContainer()
                    await MainActor.run { _ = container.resolve(ContextHandler.self) }
                    await Task.detached { _ = container.resolve(ContextHandler.self) }.value
                }
            }

        #expect(
            result.wroteToStandardError(
                """
                'HeadraceResolutionTests.ModelContext' belongs to the main actor, and was resolved elsewhere, for \
                HeadraceResolutionTests.ContextHandler. To fix, resolve it, and the objects that need it, on the main actor: call \
                'await MainActor.run { … }', or mark the caller '@MainActor'.
                """
            )
        )
    }

    @Test func aCycleNamesTheMainActorType() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await MainActor.run {
                let container = container { builder in
                    builder.onMainActor(.singleton) { scope in ModelContext(handler: scope.resolve()) }
                    builder.transient { ContextHandler(context: $0.resolve()) }
                }
                _ = container.resolve(ModelContext.self)
            }
        }

        #expect(
            result.wroteToStandardError(
                """
                HeadraceResolutionTests.ModelContext → HeadraceResolutionTests.ContextHandler → \
                HeadraceResolutionTests.ModelContext. To fix
                """
            )
        )
    }

    private func sharing(_ container: Container) -> [Bool] {
        let first: ModelContext = container.resolve()
        return [
            container.resolve(ModelContext.self) === first,
            container.scope().resolve(ModelContext.self) === first,
        ]
    }
}

@MainActor
private func contextContainer() -> Container {
    container { builder in
        builder.onMainActor(.singleton) { _ in ModelContext() }
        builder.transient { ContextHandler(context: $0.resolve()) }
    }
}

// MARK: - Fixtures

extension ContainerBuilder {
    /// Registers `contract` on the main actor, with any lifetime.
    fileprivate func onMainActor<Contract>(
        _ lifetime: Lifetime,
        _ contract: Contract.Type = Contract.self,
        _ factory: @escaping @MainActor (any DependencyResolutionScope) -> Contract
    ) {
        register(Registration(lifetime, contract, on: MainActor.self, factory: factory))
    }
}

private protocol Saving: AnyObject {
    var settings: Settings? { get }
}

private protocol Loading: AnyObject {}

/// A substitute for SwiftData's class, which isn't `Sendable`.
final class ModelContext: Saving, Loading {
    let settings: Settings?
    var changes = 0

    init(settings: Settings? = nil) {
        self.settings = settings
    }

    init(handler: ContextHandler) {
        settings = handler.context.settings
    }
}

/// A class that depends on the context, and isn't `Sendable` either.
final class ContextHandler {
    let context: ModelContext

    init(context: ModelContext) {
        self.context = context
    }
}
