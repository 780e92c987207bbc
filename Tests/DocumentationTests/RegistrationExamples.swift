// SPDX-License-Identifier: Apache-2.0

import HeadraceResolution
import HeadraceTesting
import Testing

// The examples in the comments of registrations and of limits, in the order of their files.

private enum Replica: DependencyName {}

private struct Statistics {
    let database: Named<Replica, any Database>
}

private protocol Database: Sendable {
    var host: String { get }
}

private struct PostgresDatabase: Database {
    let host: String

    static func open(_ url: String) async throws -> PostgresDatabase { PostgresDatabase(host: url) }

    func close() async {}
}

private struct Settings: Sendable {
    let url = "localhost"
}

private protocol Books: Sendable {}

private struct PaperBooks: Books {}

private struct Report {
    let books: any Books
    let account: String
}

private protocol Mailer: Sendable {
    var prefix: String { get }
}

private struct SmtpMailer: Mailer {
    let prefix = ""
}

private struct LoggingMailer: Mailer {
    let prefix: String

    init(_ mailer: any Mailer) {
        prefix = "logged \(mailer.prefix)"
    }
}

private struct SilentMailer: Mailer {
    let prefix = "silent"
}

private final class Certificate: Sendable {
    init(file: Settings) {}
}

private final class Cache: Sendable {}

@Suite struct RegistrationExamples {
    private let builder = ContainerBuilder()

    @Test func aName() {
        builder.singleton { Named<Replica, any Database>(PostgresDatabase(host: "replica")) }
        builder.transient(Statistics.init)
        let container = builder.build()

        let replica = container.resolve((any Database).self, named: Replica.self)

        #expect(replica.host == container.resolve(Statistics.self).database.value.host)
    }

    @Test func aFactory() {
        builder.singleton((any Books).self) { PaperBooks() }
        builder.factory(of: Report.self, taking: String.self, dependencies: Dependencies().on((any Books).self)) {
            Report(books: $0.resolve(), account: $1)
        }
        let container = builder.build()

        let makeReport = container.factory(of: Report.self, taking: String.self)
        let report = makeReport("Cash")

        #expect(report.account == "Cash")
    }

    @Test func aDecorator() {
        builder.singleton((any Mailer).self) { SmtpMailer() }
        builder.decorate((any Mailer).self, with: LoggingMailer.init)

        #expect(builder.build().resolve((any Mailer).self).prefix == "logged ")
    }

    @Test func aTimeLimit() {
        builder.singleton { Settings() }
        builder.timeLimited(.seconds(300), Certificate.init(file:))

        #expect(builder.build().tryResolve(Certificate.self) != nil)
    }

    @Test func aStart() async throws {
        builder.singleton { Settings() }
        builder.bootstrapped(PostgresDatabase.self, timeout: .seconds(10)) { (settings: Settings) in
            try await PostgresDatabase.open(settings.url)
        } shutdown: {
            await $0.close()
        }
        let container = builder.build()
        try await container.bootstrap { step in
            if let duration = step.duration { print("\(step.number) of \(step.count): \(step.service), \(duration)") }
        }

        #expect(container.resolve(PostgresDatabase.self).host == "localhost")
    }

    @Test func anUnexpectedDependency() throws {
        builder.unimplemented((any Mailer).self, placeholder: SilentMailer())

        try builder.validate(.strict)
    }

    @Test func aReset() {
        builder.singleton { Cache() }
        let container = builder.build()

        let fresh = container.resetting(Cache.self)
        #expect(fresh.resolve(Cache.self) !== container.resolve(Cache.self))
    }
}
