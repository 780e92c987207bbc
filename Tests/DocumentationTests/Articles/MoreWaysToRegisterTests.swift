// SPDX-License-Identifier: Apache-2.0

import HeadraceResolution
import HeadraceTesting
import Testing

private enum Replica: DependencyName {}

private struct Statistics {
    let host: Named<Replica, Host>
}

private struct Host: Sendable {
    let name: String
}

private struct Report {
    let host: Host
    let account: String
}

private protocol Greeting: Sendable {
    var text: String { get }
}

private struct English: Greeting {
    let text = "hello"
}

private struct Loud: Greeting {
    let text: String

    init(_ greeting: any Greeting) {
        text = greeting.text.uppercased()
    }
}

private final class Session: Sendable {}

private final class Certificate: Sendable {}

private final class Database: Sendable {
    static func open(_ name: String) async throws -> Database { Database() }

    func close() async {}
}

@Suite struct MoreWaysToRegisterTests {
    private let builder = ContainerBuilder()

    private var container: Container { builder.build() }

    @Test func namesDistinguishRegistrations() {
        builder.singleton { Host(name: "primary") }
        builder.singleton { Named<Replica, Host>(Host(name: "replica")) }
        builder.transient(Statistics.init)

        #expect(container.resolve(Host.self, named: Replica.self).name == "replica")
        #expect(container.resolve(Statistics.self).host.value.name == "replica")
    }

    @Test func aFactoryTakesArguments() {
        builder.singleton { Host(name: "primary") }
        builder.factory(of: Report.self, taking: String.self, dependencies: Dependencies().on(Host.self)) {
            Report(host: $0.resolve(), account: $1)
        }

        let makeReport = container.factory(of: Report.self, taking: String.self)
        #expect(makeReport("Cash").account == "Cash")
    }

    @Test func aDecoratorWraps() {
        builder.singleton((any Greeting).self) { English() }
        builder.decorate((any Greeting).self, with: Loud.init)

        #expect(container.resolve((any Greeting).self).text == "HELLO")
    }

    @Test func objectsAreReplaced() throws {
        let clock = TestClock()
        builder.weak { Session() }
        builder.timeLimited(.seconds(300), clock: clock) { Certificate() }
        let container = container

        let first: Certificate = container.resolve()
        clock.advance(by: .seconds(300))

        #expect(container.resolve(Certificate.self) !== first)
        #expect(container.tryResolve(Session.self) != nil)
    }

    @Test func databasesAreOpenedAtTheStart() async throws {
        let names = Notes()
        builder.singleton { Host(name: "primary") }
        builder.bootstrapped(timeout: .seconds(10)) { (host: Host) in
            try await Database.open(host.name)
        } shutdown: {
            await $0.close()
        }
        let container = container

        try await container.bootstrap { step in
            if step.duration == nil { names.note(step.service) }
        }

        #expect(names.all.count == 1)
        #expect(try container.require(Database.self) === container.resolve(Database.self))
        await container.shutdown()
    }
}
