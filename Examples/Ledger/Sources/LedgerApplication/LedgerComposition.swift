// SPDX-License-Identifier: Apache-2.0

public import Headrace
import HeadraceStorage

/// The composition root: registers the entities, events, and handlers of the ledger in a container.
public enum LedgerComposition {
    /// The entity types of the ledger.
    ///
    /// Pass them to the initializer of the store.
    public static let entities: [any StoredEntity.Type] =
        [
            Account.self, AssignedTransaction.self, CommodityRange.self, DailyStatement.self, DeclaredAccountType.self,
            ImportJob.self, ImportedJournal.self, JournalContent.self, JournalPart.self, KnownJournal.self,
            KnownOrigins.self, StandingOrder.self, StoredJournal.self, StoredProcess.self, Transaction.self,
        ] + Projections.entities

    /// The settings of the composition.
    ///
    /// The defaults suit a program that runs one command.
    public struct Configuration: Sendable {
        /// Receives the progress of imports that are one unit of work.
        public var progress: any ImportProgress = NoOpImportProgress()

        /// Receives each posted transaction; `nil` for no webhook.
        public var webhook: (any Webhook)?

        /// The settings of the relay.
        public var relay = Relay.Configuration()

        /// Observers of commands, queries, events, and deliveries.
        public var observers: [any MessageObserver] = []

        /// Observers of the outcomes of deliveries.
        public var relayObservers: [any RelayObserver] = []

        /// The clock of the relay.
        public var clock: any TimeSource = ContinuousClock()

        /// Creates the default settings.
        public init() {}
    }

    /// Creates the container of a program on `store`, and validates that everything in it can be resolved.
    ///
    /// Resolve a `CommandQueryDispatcher` from it, the `Relay` and the `Projections` if the program delivers events, and the
    /// ``ActivityLog``.
    ///
    /// - Parameters:
    ///   - store: The store of the ledger. It must have been opened with ``entities``.
    ///   - configuration: The settings.
    /// - Returns: The container.
    /// - Throws: `CompositionError` with all missing registrations.
    public static func makeContainer(
        on store: any DeliveryStore,
        configuration: Configuration = Configuration()
    ) throws -> Container {
        let builder = ContainerBuilder()
        builder.singleton((any ImportProgress).self) { configuration.progress }
        builder.singleton(ActivityLog.init)
        if let webhook = configuration.webhook { builder.singleton((any Webhook).self) { webhook } }
        builder.domain(
            store: ReadAheadStore(store, unserialized: MergingStore(store)),
            handlers: eventHandlers + (configuration.webhook == nil ? [] : [SendWebhook.self]),
            processes: [StandingOrderPayments.self],
            relay: configuration.relay,
            observers: configuration.observers,
            relayObservers: configuration.relayObservers,
            clock: configuration.clock
        )
        builder.projections(MonthlyChange.projection, on: store, clock: configuration.clock)
        builder.commandQueryDispatch().standard(
            commandHandlers: [
                BeginImportHandler.self, CancelStandingOrderHandler.self, ChangeImportHandler.self,
                EscalateStandingOrderHandler.self, GiveUpStandingOrderHandler.self, ImportJournalHandler.self,
                ImportStepHandler.self, PayStandingOrderHandler.self, PlaceStandingOrderHandler.self,
                PostTransactionHandler.self, ReverseTransactionHandler.self, SetAccountRuleHandler.self,
            ],
            queryHandlers: [
                GetAccountRuleHandler.self, GetAccountRulesHandler.self, GetAccountsHandler.self,
                GetAccountStatesHandler.self, GetBalanceColumnsHandler.self, GetBalanceSheetHandler.self,
                GetBalancesHandler.self, GetCommodityScalesHandler.self, GetHistoryHandler.self,
                GetImportHandler.self, GetImportsHandler.self, GetImportStatusHandler.self, GetJournalNameHandler.self,
                GetIncomeStatementHandler.self, GetNetWorthHandler.self, GetRegisterHandler.self,
                GetRegisterPageHandler.self, GetStandingOrdersHandler.self, GetTransactionHandler.self,
                GetTransactionsHandler.self,
            ],
            middleware: [
                QueryDeadline(clock: configuration.clock),
                // Serialized commands conflict if another process writes, if a commit that they have read from fails,
                // or if several accounts widen the range of a commodity at once. Each conflict means progress
                // elsewhere.
                RetryMiddleware(
                    maximumAttempts: 24,
                    backoff: Backoff(base: .milliseconds(4), longest: .milliseconds(200), jitter: 1)
                ),
                SerializingMiddleware(),
            ],
            resolvedMiddleware: [IdempotencyMiddleware.self, UnitOfWorkMiddleware<EntityContext>.self],
            observers: configuration.observers
        )
        try builder.validate(.strict)
        return builder.build()
    }

    private static let eventHandlers: [any (HandlesDomainEvent & Resolvable).Type] = [
        KeepStatement.self, CountEvent<AccountOpened>.self, CountEvent<JournalImported>.self,
        CountEvent<TransactionPosted>.self,
    ]
}
