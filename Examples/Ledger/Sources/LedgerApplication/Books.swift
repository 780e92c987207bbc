//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace

/// Puts the program together: what is stored, who handles what, and what they are made of.
public enum Books {
    /// The types of entity that the books consist of; open the store with them.
    public static let entities: [any StoredEntity.Type] = [
        Account.self, CommodityRange.self, DailyStatement.self, ImportJob.self, ImportedJournal.self,
        JournalContent.self, Transaction.self,
    ]

    /// Registers the books on `store`: afterwards, a `CommandQueryDispatcher` can be resolved, and the
    /// `DomainEventHandlerRegistrar` for a relay.
    ///
    /// - Parameters:
    ///   - registry: Where they are registered.
    ///   - store: Where they are kept.
    ///   - progress: Is told how far imports in one unit of work have come.
    ///   - webhook: Is told of each transaction that is posted; without it, nobody is.
    ///   - observers: Are told of each command, query and event.
    public static func register(
        in registry: some DependencyRegistry,
        store: any DeliveryStore,
        progress: any ImportProgress = NoOpImportProgress(),
        webhook: (any Webhook)? = nil,
        observers: [any MessageObserver] = []
    ) {
        let activity = ActivityLog()
        let registrar = registrar(activity: activity, webhook: webhook, observers: observers)
        // Commands read ahead, one on top of the other; queries see what is stored.
        let pipelined = PipelinedStore(store)
        registry.singleton((any EntityStore).self) { store }
        registry.singleton((any ImportProgress).self) { progress }
        registry.singleton { activity }
        registry.singleton { registrar }
        registry.singleton((any DomainEventDelegator).self) { registrar }
        registry.transient { scope in EntityContext(scope.resolve()) }
        registry.transient { scope in
            UnitOfWork(delegator: scope.resolve(), context: EntityContext(pipelined))
        }
        registry.commandQueryDispatch().standard(
            commandHandlers: [
                BeginImportHandler.self, ChangeImportHandler.self, ImportJournalHandler.self, ImportStepHandler.self,
                PostTransactionHandler.self, SetAccountRuleHandler.self,
            ],
            queryHandlers: [
                GetAccountsHandler.self, GetAccountStatesHandler.self, GetBalancesHandler.self,
                GetCommodityScalesHandler.self, GetHistoryHandler.self, GetImportHandler.self,
                GetImportsHandler.self, GetImportStatusHandler.self, GetRegisterHandler.self,
                GetRegisterPageHandler.self, GetTransactionHandler.self,
            ],
            middleware: [
                // A conflict is left if another process writes, if a commit was built upon that has failed, or if several
                // accounts widen the range of a commodity at once. Each conflict means that another command was stored.
                RetryMiddleware(
                    maximumAttempts: 24,
                    backoff: Backoff(base: .milliseconds(4), longest: .milliseconds(200), jitter: 1)
                ),
                TurnsMiddleware(),
                IdempotencyMiddleware(on: pipelined, delegator: registrar),
            ],
            observers: observers
        )
    }

    private static func registrar(
        activity: ActivityLog,
        webhook: (any Webhook)?,
        observers: [any MessageObserver]
    ) -> DomainEventHandlerRegistrar {
        let builder = ContainerBuilder()
        builder.singleton { activity }
        if let webhook { builder.singleton((any Webhook).self) { webhook } }
        let registrar = DomainEventHandlerRegistrar(resolver: builder.build(), observers: observers)
        registrar.register(BookPostings.self)
        registrar.register(TellMovements.self)
        registrar.register(EnforceAccountRule.self)
        registrar.register(KeepStatement.self)
        registrar.register(RecordAccountOpened.self)
        registrar.register(RecordJournalImported.self)
        registrar.register(RecordTransactionPosted.self)
        if webhook != nil { registrar.register(SendWebhook.self) }
        return registrar
    }
}
