// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceServices
import HeadraceTesting
import Testing

private enum GreetingKey: ServiceEnvironmentKey { static let defaultValue = "hello" }
private enum NameKey: ServiceEnvironmentKey { static let defaultValue: String? = nil }

extension ServiceEnvironmentValues {
    fileprivate var greeting: String {
        get { self[GreetingKey.self] }
        set { self[GreetingKey.self] = newValue }
    }

    fileprivate var name: String? {
        get { self[NameKey.self] }
        set { self[NameKey.self] = newValue }
    }
}

private struct Greeter: Service {
    @Environment(\.greeting) private var greeting
    @Environment(\.name) private var name: String
    @EnvironmentObject private var journal: Journal

    var body: some Service {
        let greetingInBody = greeting
        Store(model: Counter.self)
            .mutate(on: Ping.self) { model, _, _ in
                await Task.yield()
                journal.note("\(greetingInBody) \(greeting) \(name)")
            }
            .with(model: Counter())
    }
}

private struct Forwarder: Service {
    @Environment(\.send) private var send

    var body: some Service {
        Store(model: Counter.self)
            .mutate(on: Ping.self) { _, action, _ in try await send(action: Pong(number: action.number)) }
            .with(model: Counter())
    }
}

/// A service around content that another service declares.
private struct EnvironmentFrame<Content: Service>: Service {
    @Environment(\.greeting) private var greeting
    let content: Content

    var body: some Service { content.environment(\.greeting, "framed") }
}

private struct FramedGreeter: Service {
    @Environment(\.greeting) private var greeting
    let journal: Journal

    var body: some Service {
        EnvironmentFrame(
            content: Store(model: Counter.self)
                .mutate(on: Ping.self) { _, _, _ in journal.note(greeting) }
                .with(model: Counter())
        )
    }
}

/// Environment values and objects.
@Suite(.timeLimit(.minutes(2))) struct EnvironmentTests {
    private let journal = Journal()

    @Test func aServiceReadsItsEnvironmentInItsBodyAndInItsHandlers() async throws {
        let cluster = try await Bootstrap {
            Group { Greeter() }
                .environment(\.greeting, "hi")
                .environment(\.name, "Ada")
                .environmentObject(journal)
        }

        try await cluster.send(action: Ping())

        #expect(journal.entries == ["hi hi Ada"])
    }

    @Test func siblingsOfOneTypeAndOneValueUsedTwiceHaveSeparateEnvironments() async throws {
        let greeter = Greeter()
        let cluster = try await Bootstrap {
            Group {
                greeter.environment(\.name, "Ada")
                greeter.environment(\.name, "Bob").environment(\.greeting, "bye")
                greeter.environment(\.name, "Cy").transformEnvironment(\.greeting) { $0 += "!" }
            }
            .serial()
            .environmentObject(journal)
        }

        try await cluster.send(action: Ping())

        #expect(journal.entries == ["hello hello Ada", "bye bye Bob", "hello! hello! Cy"])
    }

    @Test func theNearestValueTakesPrecedence() async throws {
        let cluster = try await Bootstrap {
            Greeter()
                .environment(\.greeting, "near")
                .environment(\.greeting, "far")
                .environment(\.name, "Ada")
                .environmentObject(journal)
        }

        try await cluster.send(action: Ping())

        #expect(journal.entries == ["near near Ada"])
    }

    @Test func aHandlerReadsTheEnvironmentOfTheServiceThatDeclaresIt() async throws {
        let journal = journal
        let cluster = try await Bootstrap {
            FramedGreeter(journal: journal).environment(\.greeting, "outer")
        }

        try await cluster.send(action: Ping())

        #expect(journal.entries == ["outer"])
    }

    @Test func missingEnvironmentValuesAreReported() async throws {
        let error = await #expect(throws: ServiceTreeError.self) {
            _ = try await Bootstrap {
                Group {
                    Greeter()
                    Greeter().environment(\.name, "Ada")
                }
            }
        }

        #expect(error?.problems.map(\.kind) == [.missingEnvironment, .missingEnvironment, .missingEnvironment])
        #expect(
            error?.problems.map(\.path) == [
                ["Group", "1", "Greeter"], ["Group", "1", "Greeter"], ["Group", "2", "Greeter"],
            ])
        #expect(error?.problems.first?.message.contains("String") == true)
        #expect(error?.problems.last?.message.contains("Journal") == true)
    }

    @Test func sendOfTheEnvironmentSendsToTheClusterUnlessItIsReplaced() async throws {
        let journal = journal
        let recordingSend = RecordingSend()
        let cluster = try await Bootstrap {
            Group {
                Forwarder()
                Forwarder().environment(\.send, recordingSend)
            }
            .observe(on: Pong.self) { journal.note("\($0.number)") }
        }

        try await cluster.send(action: Ping(number: 4))

        #expect(journal.entries == ["4"])
        #expect(recordingSend.actions(of: Pong.self) == [Pong(number: 4)])
    }

    @Test func outsideAServiceAPropertyHasItsDefaultValue() {
        struct Reader: Service {
            @Environment(\.greeting) var greeting
            var body: some Service { Group {} }
        }

        #expect(Reader().greeting == "hello")
    }
}
