// SPDX-License-Identifier: Apache-2.0

import HeadraceResolution
import Testing

/// A custom resolver implements only `tryResolve(_:)`.
@Suite struct DependencyResolverTests {
    @Test func allSpellingsUseTryResolve() {
        let resolver = OneThing(thing: "the thing")

        let byContext: String = resolver.resolve()
        let tried: String? = resolver.tryResolve()

        #expect(byContext == "the thing")
        #expect(resolver.resolve(String.self) == "the thing")
        #expect(tried == "the thing")
        #expect(resolver.tryResolve(Int.self) == nil)
    }

    @Test func itWorksThroughTheProtocol() {
        let resolvers: [any DependencyResolver] = [OneThing(thing: 7), container { $0.singleton { 7 } }]

        #expect(resolvers.map { $0.resolve(Int.self) } == [7, 7])
    }

    @Test func resolvingAnUnregisteredTypeStopsTheProgramWithItsName() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = OneThing(thing: "the thing").resolve(Int.self)
        }

        #expect(result.wroteToStandardError("Nothing is registered for 'Swift.Int'. To fix, add"))
    }

    private struct OneThing<Thing>: DependencyResolver {
        let thing: Thing

        func tryResolve<T>(_ type: T.Type) -> T? {
            thing as? T
        }
    }
}
