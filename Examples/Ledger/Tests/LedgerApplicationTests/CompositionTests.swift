// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import LedgerApplication
import Synchronization
import Testing

/// The container of the program.
@Suite struct CompositionTests {
    private func container(_ configure: (inout LedgerComposition.Configuration) -> Void = { _ in }) throws -> Container
    {
        var configuration = LedgerComposition.Configuration()
        configure(&configuration)
        return try LedgerComposition.makeContainer(
            on: InMemoryStore(entities: LedgerComposition.entities), configuration: configuration)
    }

    @Test(arguments: [false, true]) func allRegistrationsAreValid(hasWebhook: Bool) throws {
        let container = try container { if hasWebhook { $0.webhook = QuietWebhook() } }

        try container.validate(.strict)

        #expect(container.graph.opaque.isEmpty)
    }

    @Test func transactionsAreDeliveredToAConfiguredWebhook() throws {
        let title = "SendWebhook<br/>delivered"

        #expect(try container { $0.webhook = QuietWebhook() }.graph.mermaid.contains(title))
        #expect(try container().graph.mermaid.contains(title) == false)
    }

    /// Compares the stated dependencies of each handler with the types that its initializer resolves.
    @Test func handlersStateTheTypesThatTheyResolve() throws {
        let container = try container { $0.webhook = QuietWebhook() }
        let handlers: [any Resolvable.Type] = [
            BeginImportHandler.self, ChangeImportHandler.self, ImportJournalHandler.self, ImportStepHandler.self,
            PostTransactionHandler.self, ReverseTransactionHandler.self, SetAccountRuleHandler.self,
            PlaceStandingOrderHandler.self,
            CancelStandingOrderHandler.self, PayStandingOrderHandler.self, EscalateStandingOrderHandler.self,
            GiveUpStandingOrderHandler.self,
            GetAccountRulesHandler.self, GetAccountsHandler.self, GetAccountStatesHandler.self, GetBalancesHandler.self,
            GetCommodityScalesHandler.self, GetHistoryHandler.self, GetImportHandler.self,
            GetImportsHandler.self, GetImportStatusHandler.self, GetNetWorthHandler.self, GetRegisterHandler.self,
            GetStandingOrdersHandler.self,
            GetRegisterPageHandler.self, GetTransactionHandler.self, GetTransactionsHandler.self,
            GetIncomeStatementHandler.self, GetBalanceSheetHandler.self,
            KeepStatement.self, CountEvent<AccountOpened>.self, CountEvent<JournalImported>.self,
            CountEvent<TransactionPosted>.self, SendWebhook.self,
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

/// A scope that records the resolved types.
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
