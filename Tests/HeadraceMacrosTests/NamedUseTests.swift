// SPDX-License-Identifier: Apache-2.0

#if Macros
import HeadraceMacros
import HeadraceResolution
import Testing

enum Replica: DependencyName {}

struct Host: Sendable {
    let name: String
}

@Resolvable
struct Statistics {
    let host: Named<Replica, Host>
    let makeHost: Factory<Host, String>
}

extension DependencyResolver {
    var replica: Host { resolve(named: Replica.self) }
}

struct Page {
    @Inject(\.replica) var replica: Host
}

/// Names and arguments are types, so the macros need no form of their own for them.
@Suite
struct NamedUseTests {
    @Test
    func theMacrosResolveNamesAndFactories() throws {
        let builder = ContainerBuilder()
        builder.singleton { Named<Replica, Host>(Host(name: "replica")) }
        builder.factory(of: Host.self, taking: String.self, dependencies: Dependencies()) { Host(name: $1) }
        builder.transient(Statistics.self)
        try builder.validate(.strict)
        let container = builder.build()

        let statistics: Statistics = try container.require()

        #expect(statistics.host.value.name == "replica")
        #expect(statistics.makeHost("other").name == "other")
        container.withCurrent { #expect(Page().replica.name == "replica") }
    }

    @Test
    func aMissingNameIsFoundByValidation() throws {
        let builder = ContainerBuilder()
        builder.singleton { Host(name: "primary") }
        builder.transient(Statistics.self)

        let error = try #require(throws: CompositionError.self) { try builder.validate() }

        #expect(error.problems.map(\.kind) == [.missing, .missing])
    }
}
#endif
