// SPDX-License-Identifier: Apache-2.0

import HeadraceResolution
import Testing

/// An object that keeps the scope in which it was created.
private final class Keeper: Sendable {
    let scope: any DependencyResolutionScope

    init(_ scope: any DependencyResolutionScope) {
        self.scope = scope
    }
}

/// A dependency of a keeper, which keeps the scope as well.
private final class Aide: Sendable {
    let scope: any DependencyResolutionScope

    init(_ scope: any DependencyResolutionScope) {
        self.scope = scope
    }
}

private final class Employer: Sendable {
    let aide: Aide

    init(_ aide: Aide) {
        self.aide = aide
    }
}

@Suite struct BorrowedScopeTests {
    private func builder() -> ContainerBuilder {
        let builder = ContainerBuilder()
        builder.transient { "resolved" }
        builder.transient { Aide($0) }
        return builder
    }

    @Test func aSingletonThatKeepsItsScopeIsReleasedWithTheContainer() {
        let builder = builder()
        builder.singleton { Keeper($0) }
        weak var keeper: Keeper?

        do {
            let container = builder.build()
            keeper = container.resolve(Keeper.self)
            #expect(keeper?.scope.resolve(String.self) == "resolved")
        }

        #expect(keeper == nil)
    }

    @Test func aScopedObjectThatKeepsItsScopeIsReleasedWithTheScope() {
        let builder = builder()
        builder.scoped { Keeper($0) }
        let container = builder.build()
        weak var keeper: Keeper?

        do {
            let scope = container.scope()
            keeper = scope.resolve(Keeper.self)
            #expect(keeper?.scope.resolve(Keeper.self) === keeper)
        }

        #expect(keeper == nil)
    }

    @Test func aTransientDependencyOfASingletonMayKeepTheScopeToo() {
        let builder = builder()
        builder.singleton { scope in Employer(scope.resolve()) }
        weak var employer: Employer?

        do {
            let container = builder.build()
            employer = container.resolve(Employer.self)
            #expect(employer?.aide.scope.resolve(String.self) == "resolved")
            #expect(employer?.aide.scope.scope().resolve(String.self) == "resolved")
        }

        #expect(employer == nil)
    }

    @Test func anOpenedScopeKeepsTheSingletonsOfItsContainer() {
        let builder = builder()
        builder.singleton { Keeper($0) }

        let scope = builder.build().scope()
        let keeper: Keeper = scope.resolve()

        #expect(keeper.scope.resolve(Keeper.self) === keeper)
    }

    @Test func aKeptScopeResolvesNothingAfterTheContainerIsReleased() {
        let builder = builder()
        builder.singleton { Keeper($0) }

        let keeper: Keeper = builder.build().resolve()

        #expect(keeper.scope.tryResolve(String.self) == nil)
    }

    @Test func resolvingFromAKeptScopeAfterItsContainerStopsWithAFix() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let builder = ContainerBuilder()
            builder.transient { "resolved" }
            builder.singleton { Keeper($0) }
            let keeper: Keeper = builder.build().resolve()
            _ = keeper.scope.resolve(String.self)
        }

        #expect(result.wroteToStandardError("The container of this scope is gone"))
        #expect(result.wroteToStandardError("To fix, keep the container"))
    }
}
