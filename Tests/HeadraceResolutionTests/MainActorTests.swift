//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceResolution
import Testing

@Suite @MainActor struct MainActorTests {
    @Test func aFactoryMayCaptureWhatBelongsToTheMainActor() {
        let context = ModelContext()

        let container = container { $0.transient(on: MainActor.self) { context } }

        #expect(container.resolve(ModelContext.self) === context)
        #expect(container.tryResolve(ModelContext.self) === context)
        #expect(container.scope().resolve(ModelContext?.self) === context)
    }

    @Test func everyLifetimeHoldsForWhatIsNotSendable() {
        let transient = container { $0.transient(on: MainActor.self) { ModelContext() } }
        let scoped = container { $0.scoped(on: MainActor.self) { ModelContext() } }
        let singleton = container { $0.singleton(on: MainActor.self) { ModelContext() } }

        #expect(sharing(transient) == [false, false])
        #expect(sharing(scoped) == [true, false])
        #expect(sharing(singleton) == [true, true])
    }

    @Test func aContractIsMadeWithWhatTheScopeGives() {
        let container = container { builder in
            builder.singleton { Settings() }
            builder.transient(on: MainActor.self) { ModelContext(settings: $0.resolve()) }
            builder.transient((any Saving).self, on: MainActor.self) { ModelContext(settings: $0.resolve()) }
            builder.scoped((any Loading).self, on: MainActor.self) { ModelContext() }
        }

        #expect(container.resolve((any Saving).self).settings === container.resolve(Settings.self))
        #expect(container.resolve(ModelContext.self).settings === container.resolve(Settings.self))
        #expect(container.resolve((any Loading).self) === container.resolve((any Loading).self))
    }

    @Test func whatTakesItIsMadeOnTheMainActorToo() {
        let container = container { builder in
            builder.singleton(on: MainActor.self) { ModelContext() }
            builder.transient { Handler(context: $0.resolve()) }
        }

        #expect(container.resolve(Handler.self).context === container.resolve(ModelContext.self))
    }

    @Test func whatIsStatedIsWhatTheFactoryShows() {
        let builder = builder { builder in
            builder.transient(on: MainActor.self) { ModelContext() }
            builder.transient((any Saving).self, on: MainActor.self) { ModelContext(settings: $0.resolve()) }
        }

        #expect(builder.graph.opaque.map { "\($0)" } == ["Saving"])
    }

    @Test(arguments: [false, true])
    func resolvedElsewhereItStopsTheProgramAndSaysWhatToDo(tries: Bool) async {
        let result =
            if tries {
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    let container = await contextContainer()
                    await Task.detached { _ = container.tryResolve(Handler.self) }.value
                }
            } else {
                // Made before: a hit is checked as well.
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    let container = await contextContainer()
                    await MainActor.run { _ = container.resolve(Handler.self) }
                    await Task.detached { _ = container.resolve(Handler.self) }.value
                }
            }

        #expect(
            result.saysInStandardError(
                """
                'HeadraceResolutionTests.ModelContext' belongs to the main actor, and was resolved elsewhere, for \
                HeadraceResolutionTests.Handler. To fix, resolve it, and what takes it, on the main actor: \
                'await MainActor.run { … }', or '@MainActor' on whoever resolves.
                """
            )
        )
    }

    @Test func aCycleNamesTheTypeAndNotItsBox() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await MainActor.run {
                let container = container { builder in
                    builder.singleton(on: MainActor.self) { ModelContext(handler: $0.resolve()) }
                    builder.transient { Handler(context: $0.resolve()) }
                }
                _ = container.resolve(ModelContext.self)
            }
        }

        #expect(
            result.saysInStandardError(
                """
                HeadraceResolutionTests.ModelContext → HeadraceResolutionTests.Handler → \
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
        builder.singleton(on: MainActor.self) { ModelContext() }
        builder.transient { Handler(context: $0.resolve()) }
    }
}

// MARK: - Fixtures

private protocol Saving: AnyObject {
    var settings: Settings? { get }
}

private protocol Loading: AnyObject {}

/// Stands for SwiftData's: a class that is not `Sendable`.
final class ModelContext: Saving, Loading {
    let settings: Settings?
    var changes = 0

    init(settings: Settings? = nil) {
        self.settings = settings
    }

    init(handler: Handler) {
        settings = handler.context.settings
    }
}

/// Takes it, and is not `Sendable` either.
final class Handler {
    let context: ModelContext

    init(context: ModelContext) {
        self.context = context
    }
}
