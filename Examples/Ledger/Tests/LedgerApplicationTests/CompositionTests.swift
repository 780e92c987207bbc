//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Headrace
import LedgerApplication
import Synchronization
import Testing

/// The container of the real program.
@Suite struct CompositionTests {
    private func container(_ configure: (inout Books.Configuration) -> Void = { _ in }) throws -> Container {
        var configuration = Books.Configuration()
        configure(&configuration)
        return try Books.makeContainer(on: InMemoryStore(entities: Books.entities), configuration: configuration)
    }

    @Test(arguments: [false, true]) func everythingInItIsProved(hasWebhook: Bool) throws {
        let container = try container { if hasWebhook { $0.webhook = QuietWebhook() } }

        try container.validate(.strict)

        #expect(container.graph.opaque.isEmpty)
    }

    @Test func withAWebhookTransactionsAreDeliveredToIt() throws {
        let title = "SendWebhook<br/>delivered"

        #expect(try container { $0.webhook = QuietWebhook() }.graph.mermaid.contains(title))
        #expect(try container().graph.mermaid.contains(title) == false)
    }

    /// A handler resolves the types that it states, and no others: each is made in a scope that has only these.
    @Test func handlersStateTheTypesThatTheyResolve() throws {
        let container = try container { $0.webhook = QuietWebhook() }
        let handlers: [any Resolvable.Type] = [
            BeginImportHandler.self, ChangeImportHandler.self, ImportJournalHandler.self, ImportStepHandler.self,
            PostTransactionHandler.self, SetAccountRuleHandler.self,
            GetAccountsHandler.self, GetAccountStatesHandler.self, GetBalancesHandler.self,
            GetCommodityScalesHandler.self, GetHistoryHandler.self, GetImportHandler.self,
            GetImportsHandler.self, GetImportStatusHandler.self, GetRegisterHandler.self,
            GetRegisterPageHandler.self, GetTransactionHandler.self,
            BookPostings.self, TellMovements.self, EnforceAccountRule.self, KeepStatement.self,
            RecordAccountOpened.self, RecordJournalImported.self, RecordTransactionPosted.self, SendWebhook.self,
        ]

        for handler in handlers {
            let scope = RecordingScope(container)
            _ = handler.init(scope: scope)

            #expect("\(handler.dependencies)" == "\(scope.dependencies)", "\(handler)")
        }
    }
}

private struct QuietWebhook: Webhook {
    func send(_ body: Data, id: UUID) async throws {}
}

/// Records the types that are resolved from it, as a handler states them.
private final class RecordingScope: DependencyResolutionScope {
    private let container: Container
    private let recorded = Mutex(Dependencies())

    init(_ container: Container) {
        self.container = container
    }

    var dependencies: Dependencies { recorded.withLock(\.self) }

    func tryResolve<T>(_ type: T.Type) -> T? {
        recorded.withLock { $0 = $0.on(type) }
        return container.tryResolve(type)
    }

    func scope() -> any DependencyResolutionScope { self }
}
