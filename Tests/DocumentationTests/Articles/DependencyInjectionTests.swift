// SPDX-License-Identifier: Apache-2.0

#if Macros
import Headrace
import HeadraceResolution
import HeadraceTesting
import Synchronization
import Testing

private protocol Mailer: Sendable {
    func send(_ text: String, to address: String) async throws
}

private struct SMTPMailer: Mailer {
    func send(_ text: String, to address: String) async throws {}
}

private final class Readers: Sendable {
    let addresses = ["ada@example.org", "bea@example.org"]
}

@Resolvable
private struct Newsletter {
    private let mailer: any Mailer
    private let readers: Readers

    func publish(_ text: String) async throws {
        for address in readers.addresses { try await mailer.send(text, to: address) }
    }
}

private final class NotedMails: Mailer {
    private let mails = Mutex<[String]>([])

    var addresses: [String] { mails.withLock(\.self) }

    func send(_ text: String, to address: String) async throws {
        mails.withLock { $0.append(address) }
    }
}

@Suite struct DependencyInjectionTests {
    @Test func aTestReplacesTheMailer() async throws {
        let builder = ContainerBuilder()
        builder.singleton((any Mailer).self) { SMTPMailer() }
        builder.scoped { Readers() }
        builder.transient(Newsletter.self)

        try builder.validate(.strict)
        let container = builder.build()
        let newsletter: Newsletter = container.resolve()
        try await newsletter.publish("Old news")

        let request = container.scope()
        #expect(request.resolve(Readers.self) === request.resolve(Readers.self))
        #expect(request.resolve(Readers.self) !== container.scope().resolve(Readers.self))

        let mails = NotedMails()
        try await container.withDependencies { builder in
            builder.singleton((any Mailer).self) { mails }
        } operation: { container in
            try await container.resolve(Newsletter.self).publish("News")
        }

        #expect(mails.addresses == ["ada@example.org", "bea@example.org"])
    }

    @Test func validationFindsAMissingRegistration() {
        let builder = ContainerBuilder()
        builder.transient(Newsletter.self)

        let error = #expect(throws: CompositionError.self) { try builder.validate() }

        #expect(error?.problems.count == 2)
    }
}
#endif
