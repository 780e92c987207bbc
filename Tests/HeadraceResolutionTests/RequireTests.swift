// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceResolution
import Testing

/// `require(_:)` throws the message with which `resolve(_:)` stops the program.
@Suite struct RequireTests {
    @Test func requireReturnsTheSameObjectsAsResolve() throws {
        let container = container { builder in
            builder.singleton { Settings() }
            builder.scoped((any Mailer).self, SmtpMailer.init(settings:))
        }
        let scope = container.scope()

        let settings: Settings = try container.require()

        #expect(settings === container.resolve(Settings.self))
        #expect(try scope.require((any Mailer).self) === scope.resolve((any Mailer).self))
        #expect(try scope.require(Audit?.self) == nil)
    }

    @Test func aMissingTypeIsThrownWithTheLineToAdd() throws {
        let error = try #require(throws: ResolutionError.self) { try container { _ in }.require(Alpha.self) }

        #expect(error.code == .missing)
        #expect(error.codeName == "missing")
        #expect(
            error.description == """
                Nothing is registered for 'HeadraceResolutionTests.Alpha'. To fix, add \
                'builder.transient(HeadraceResolutionTests.Alpha.self) { … }', '.scoped' or '.singleton' before \
                'build()', or use 'tryResolve()' if it may be missing.
                """
        )
    }

    @Test func aMissingTransitiveDependencyIsThrownWithItsPath() throws {
        let container = container { builder in
            builder.transient(Welcome.self)
            builder.singleton(SignUp.self)
        }

        let error = try #require(throws: ResolutionError.self) { try container.scope().require(Welcome.self) }

        #expect(error.code == .missing)
        #expect(
            error.message.hasPrefix(
                """
                Nothing is registered for 'HeadraceResolutionTests.Mailer', needed by HeadraceResolutionTests.Welcome → \
                HeadraceResolutionTests.SignUp. To fix, add
                """
            )
        )
        #expect(throws: ResolutionError.self) { try container.require(Welcome.self) }
    }

    @Test func thePathBeginsWithTheObjectBeingCreated() throws {
        let container = container { builder in
            builder.transient(SignUp.self)
            builder.transient { scope in
                Alpha(needs: "\(Result { try scope.require(SignUp.self) })")
            }
        }

        let message = try #require(container.resolve(Alpha.self).needs as? String)

        #expect(message.contains("needed by HeadraceResolutionTests.Alpha → HeadraceResolutionTests.SignUp. To fix"))
    }

    @Test func aCycleIsThrownWithItsPath() throws {
        let container = container { builder in
            builder.transient(Head.self)
            builder.singleton(Left.self)
            builder.scoped(Right.self)
        }

        let error = try #require(throws: ResolutionError.self) { try container.require(Head.self) }

        #expect(error.code == .cyclic)
        #expect(
            error.message == """
                'HeadraceResolutionTests.Left' depends on itself: HeadraceResolutionTests.Left → \
                HeadraceResolutionTests.Right → HeadraceResolutionTests.Left. \
                To fix, let one of them resolve its dependency later, by a closure or from the scope at the time of use.
                """
        )
    }

    @Test func aChainOfAnyLengthIsSearchedWithoutRecursion() throws {
        let container = RandomGraph(chain: 5_000).builder().build()
        let first = try #require(container.graph.nodes.first).contract

        let error = try #require(throws: ResolutionError.self) { try require(first, from: container) }

        #expect(error.code == .missing)
    }

    @Test func aScopeThatOutlivesItsContainerThrows() throws {
        let keeper = container { $0.singleton { ScopeKeeper(scope: $0) } }.resolve(ScopeKeeper.self)

        let error = try #require(throws: ResolutionError.self) { try keeper.scope.require(ScopeKeeper.self) }

        #expect(error.code == .containerReleased)
        #expect(error.message.hasPrefix("The container of this scope is gone"))
    }

    @Test @MainActor func aMainActorObjectIsReturnedThereAndThrowsElsewhere() async throws {
        let container = container { builder in
            builder.transient(on: MainActor.self) { OnMain() }
            builder.transient(TakesOnMain.self)
        }

        _ = try container.require(TakesOnMain.self)
        let error = await Task.detached { () -> ResolutionError? in
            do throws(ResolutionError) {
                _ = try container.require(TakesOnMain.self)
                return nil
            } catch {
                return error
            }
        }.value

        #expect(error?.code == .notOnMainActor)
        #expect(
            error?.message.hasPrefix(
                """
                'HeadraceResolutionTests.OnMain' belongs to the main actor, and was resolved elsewhere, for \
                HeadraceResolutionTests.TakesOnMain. To fix
                """
            ) == true
        )
    }

    @Test @MainActor func aSingletonThatTheMainActorCreatedIsReturnedElsewhere() async throws {
        let container = container { builder in
            builder.transient(on: MainActor.self) { OnMain() }
            builder.singleton(KeptOnMain.self)
            builder.transient(NeedsKept.self)
        }
        let kept = container.resolve(KeptOnMain.self)

        let isSame = await Task.detached { (try? container.require(NeedsKept.self))?.kept === kept }.value

        #expect(isSame)
    }

    @Test func aLocatorThrowsToo() throws {
        let services = ServiceLocator()
        services.register(Settings())

        #expect(try services.require(Settings.self) === services.resolve(Settings.self))
        #expect(throws: ResolutionError.self) { try services.require(Audit.self) }
    }

    @Test(arguments: [true, false])
    func anUnregisteredTypeIsCheckedBeforeItIsCreated(isMissing: Bool) throws {
        let container = container { builder in
            if !isMissing { builder.singleton((any Mailer).self) { SmtpMailer() } }
        }
        let services = ServiceLocator()
        if !isMissing { services.register((any Mailer).self, SmtpMailer()) }

        for resolver in [container, container.scope(), services] as [any DependencyResolver] {
            if isMissing {
                let error = try #require(throws: ResolutionError.self) { try resolver.check(SignUp.self) }
                #expect(error.message.contains("Mailer', needed by HeadraceResolutionTests.SignUp. To fix"))
                try resolver.check(SignUp.self, given: (any Mailer).self)
            } else {
                try resolver.check(SignUp.self)
            }
        }
    }

    private func require<T>(_ type: T.Type, from container: Container) throws(ResolutionError) {
        _ = try container.require(type)
    }
}

// MARK: - Fixtures

private final class ScopeKeeper: Sendable {
    let scope: any DependencyResolutionScope

    init(scope: any DependencyResolutionScope) {
        self.scope = scope
    }
}

private final class OnMain {}

private final class TakesOnMain: Resolvable {
    static var dependencies: Dependencies { Dependencies().on(OnMain.self) }
    init(scope: any DependencyResolutionScope) { _ = scope.resolve(OnMain.self) }
}

private final class KeptOnMain: Resolvable, Sendable {
    static var dependencies: Dependencies { Dependencies().on(OnMain.self) }
    init(scope: any DependencyResolutionScope) { _ = scope.resolve(OnMain.self) }
}

private final class NeedsKept: Resolvable {
    static var dependencies: Dependencies { Dependencies().on(KeptOnMain.self) }
    let kept: KeptOnMain
    init(scope: any DependencyResolutionScope) { kept = scope.resolve() }
}
