//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace

/// Puts the program together: its entities, its events, their handlers, and the handlers of its commands and queries.
public enum Books {
    /// The types of entity that the books consist of; open the store with them.
    public static let entities: [any StoredEntity.Type] = [
        Account.self, CommodityRange.self, DailyStatement.self, ImportJob.self, ImportedJournal.self,
        JournalContent.self, Transaction.self,
    ]

    /// The settings of a program on the books; the defaults are for a program that runs one command.
    public struct Configuration: Sendable {
        /// Is notified of the progress of imports in one unit of work.
        public var progress: any ImportProgress = NoOpImportProgress()

        /// Receives each transaction that is posted, if there is one.
        public var webhook: (any Webhook)?

        /// The settings of the relay.
        public var relay = Relay.Configuration()

        /// Are notified of each command, query, event, and delivery.
        public var observers: [any MessageObserver] = []

        /// Are notified of the outcome of each delivery.
        public var relayObservers: [any RelayObserver] = []

        /// The clock by which the relay waits.
        public var clock: any TimeSource = ContinuousClock()

        /// Creates the default settings.
        public init() {}
    }

    /// Makes the container of a program on `store`, and proves that everything in it can be made.
    ///
    /// Resolve a `CommandQueryDispatcher` from it, the `Relay` if the program delivers events, and the ``ActivityLog``.
    ///
    /// - Parameters:
    ///   - store: The store of the books. It must have been opened with ``entities``.
    ///   - configuration: The settings of the program.
    /// - Returns: The container.
    /// - Throws: `CompositionError` with everything that is missing or can't be proved.
    public static func makeContainer(
        on store: any DeliveryStore,
        configuration: Configuration = Configuration()
    ) throws -> Container {
        let builder = ContainerBuilder()
        builder.singleton((any ImportProgress).self) { configuration.progress }
        builder.singleton(ActivityLog.init)
        if let webhook = configuration.webhook { builder.singleton((any Webhook).self) { webhook } }
        builder.domain(
            // Commands that take turns read ahead, one on top of the other. Queries and deliveries see the stored state.
            store: PipelinedStore(store),
            entities: entities,
            // `AccountRuleSet` and `ImportChanged` are only read from the log: they have no handler.
            events: [
                AccountMoved.self, AccountOpened.self, AccountTouched.self, JournalImported.self,
                TransactionPosted.self,
            ],
            handlers: eventHandlers + (configuration.webhook == nil ? [] : [SendWebhook.self]),
            relay: configuration.relay,
            observers: configuration.observers,
            relayObservers: configuration.relayObservers,
            clock: configuration.clock
        )
        builder.commandQueryDispatch().standard(
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
            ],
            resolvedMiddleware: [IdempotencyMiddleware.self],
            observers: configuration.observers
        )
        try builder.validate(.strict)
        return builder.build()
    }

    private static let eventHandlers: [any (HandlesDomainEvent & Resolvable).Type] = [
        BookPostings.self, TellMovements.self, EnforceAccountRule.self, KeepStatement.self, RecordAccountOpened.self,
        RecordJournalImported.self, RecordTransactionPosted.self,
    ]
}
