// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCommands
import HeadraceResolution
import Testing

// MARK: - Composition

private protocol Books: Sendable {
    func balance(of account: String) async throws -> Int
}

private struct PaperBooks: Books {
    func balance(of account: String) async throws -> Int { 42 }
}

private protocol Mailer: Sendable {
    var host: String { get }
}

private struct SmtpMailer: Mailer {
    var host = "example.org"

    init() {}

    init(host: String) {
        self.host = host
    }
}

private struct SignUp {
    let mailer: any Mailer
}

private protocol Api: Sendable {
    var name: String { get }
}

private struct NetworkApi: Api {
    let name = "network"
}

private struct FakeApi: Api {
    let name = "fake"
}

private final class AuditLog: Sendable {}

private struct OpenAccount: Resolvable {
    static var dependencies: Dependencies {
        Dependencies().on((any Books).self).on(AuditLog?.self)
    }

    let books: any Books
    let auditLog: AuditLog?

    init(scope: any DependencyResolutionScope) {
        books = scope.resolve()
        auditLog = scope.resolve()
    }
}

private struct GetBalance: CQDQuery {
    typealias Value = Int
    var account: String
}

private final class GetBalanceHandler: HandlesQuery, Resolvable {
    private let books: any Books

    init(scope: any DependencyResolutionScope) {
        books = scope.resolve()
    }

    func handle(_ query: GetBalance) async throws -> Int {
        try await books.balance(of: query.account)
    }
}

private final class NotificationService: Sendable {}

@MainActor private final class ModelContext {}

@Suite struct CompositionExamples {
    @Test func registeredTypesAreValidatedAndResolved() throws {
        let builder = ContainerBuilder()
        builder.singleton((any Books).self) { PaperBooks() }
        builder.transient(OpenAccount.self)
        try builder.validate()

        let container = builder.build()
        let openAccount: OpenAccount = container.resolve()

        #expect(openAccount.books is PaperBooks)
        #expect(openAccount.auditLog == nil)
    }

    @Test func aFactoryReceivesItsScope() {
        let builder = ContainerBuilder()
        builder.singleton((any Mailer).self) { SmtpMailer(host: "localhost") }
        builder.transient { SignUp(mailer: $0.resolve()) }

        let container = builder.build()
        let signUp: SignUp = container.resolve()

        #expect(signUp.mailer.host == "localhost")
    }

    @Test func aContractResolvesToARegisteredType() {
        let builder = ContainerBuilder()
        builder.singleton { SmtpMailer() }
        builder.transient((any Mailer).self, assigned(SmtpMailer.self))

        #expect(builder.build().resolve((any Mailer).self).host == "example.org")
    }

    @Test func anOverrideAppliesToTheNewContainerOnly() {
        let builder = ContainerBuilder()
        builder.singleton((any Api).self) { NetworkApi() }
        let appContainer = builder.build()

        let container = appContainer.overriding { builder in
            builder.singleton((any Api).self) { FakeApi() }
        }

        #expect(container.resolve((any Api).self).name == "fake")
        #expect(appContainer.resolve((any Api).self).name == "network")
    }

    @MainActor
    @Test func aMainActorObjectIsResolvedOnTheMainActor() {
        let builder = ContainerBuilder()
        let modelContext = ModelContext()
        builder.transient(on: MainActor.self) { modelContext }

        #expect(builder.build().resolve(ModelContext.self) === modelContext)
    }

    @Test func aHandlerImplementsResolvableWithoutTheMacro() async throws {
        let builder = ContainerBuilder()
        builder.singleton((any Books).self) { PaperBooks() }

        let handler = GetBalanceHandler(scope: builder.build())

        #expect(try await handler.handle(GetBalance(account: "cash")) == 42)
    }

    @Test func theGraphIsExported() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "Dependencies.mmd")
        let builder = ContainerBuilder()
        builder.transient { PaperBooks() }
        let container = builder.build()

        try container.graph.mermaid.write(to: file, atomically: true, encoding: .utf8)

        #expect(try String(contentsOf: file, encoding: .utf8).hasPrefix("flowchart LR"))
    }

    @Test func aLocatorAcceptsRegistrationsAtRunTime() {
        let services = ServiceLocator()
        services.register(NotificationService())
        let notifications: NotificationService = services.resolve()

        #expect(notifications === services.resolve(NotificationService.self))
    }
}

// MARK: - The forms of registration

private protocol Clock: Sendable {}
private protocol Store: Sendable {}

private final class SystemClock: Clock {}

private final class Cache: Resolvable, Sendable {
    let clock: any Clock

    init(clock: any Clock) {
        self.clock = clock
    }

    init(scope: any DependencyResolutionScope) {
        clock = scope.resolve()
    }
}

private final class DiskStore: Store, Resolvable {
    let cache: Cache

    init(_ cache: Cache) {
        self.cache = cache
    }

    init(scope: any DependencyResolutionScope) {
        cache = scope.resolve()
    }
}

@Suite struct RegistrationFormExamples {
    @Test func allRegistrationFormsCompileAndTheLastOfATypeWins() throws {
        let builder = ContainerBuilder()

        builder.singleton(Cache.self)  // a `Resolvable` type
        builder.singleton(SystemClock.init)  // a function, whose parameters are the dependencies
        builder.singleton((any Store).self) { (cache: Cache) in DiskStore(cache) }  // a contract and a function
        builder.singleton((any Store).self) { DiskStore($0.resolve()) }  // a function of the scope
        builder.singleton((any Clock).self, assigned(SystemClock.self))  // a contract and an assigned type

        let container = builder.build()
        let store = try #require(container.resolve((any Store).self) as? DiskStore)
        #expect(store.cache === container.resolve(Cache.self))
        #expect(store.cache.clock as? SystemClock === container.resolve(SystemClock.self))
    }
}

@Suite struct StatedFormExamples {
    @Test func aFactoryStatesItsDependencies() throws {
        let builder = ContainerBuilder()
        builder.singleton((any Clock).self) { SystemClock() }
        builder.singleton(Cache.init(clock:))
        builder.singleton((any Store).self, closure(needs: Cache.self) { scope in DiskStore(scope.resolve()) })

        try builder.validate(.strict)
        #expect(builder.build().resolve((any Store).self) is DiskStore)
    }

    @Test func initializerParametersAreTheDependencies() throws {
        enum Taking {
            final class DiskStore: Sendable {
                let cache: Cache

                init(cache: Cache) {
                    self.cache = cache
                }
            }

            final class SmtpMailer: Mailer {
                let host: String

                init(settings: String) {
                    host = settings
                }
            }
        }
        typealias DiskStore = Taking.DiskStore
        typealias SmtpMailer = Taking.SmtpMailer
        let builder = ContainerBuilder()
        builder.singleton((any Clock).self) { SystemClock() }
        builder.singleton(Cache.init(clock:))
        builder.singleton { "example.org" }

        builder.singleton(DiskStore.init)
        builder.transient((any Mailer).self, SmtpMailer.init)

        try builder.validate(.strict)
        #expect(builder.build().resolve((any Mailer).self).host == "example.org")
    }
}

// MARK: - Injection by key paths

private final class CounterStore: Sendable {}

extension DependencyResolver {
    fileprivate var counterStore: CounterStore { resolve() }
}

private struct CounterModel {
    @Inject(\.counterStore) var store: CounterStore
}

private protocol CounterStoreAction {}

extension CounterStoreAction {
    fileprivate var store: CounterStore { Container.current.counterStore }
}

private struct Increment: CounterStoreAction {}

@Suite struct InjectExamples {
    @Test func injectUsesTheCurrentContainer() {
        let builder = ContainerBuilder()
        builder.singleton { CounterStore() }
        let container = builder.build()

        container.withCurrent {
            #expect(CounterModel().store === container.counterStore)
            #expect(Increment().store === container.counterStore)
        }
    }
}
