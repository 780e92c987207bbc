//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace

/// Puts the program together: what is stored, who handles what, and what they are made of.
public enum Books {
    /// The types of entity that the books consist of; open the store with them.
    public static let entities: [any StoredEntity.Type] = [Account.self, ImportedJournal.self, Transaction.self]

    /// Registers the books on `store`: afterwards, a `CommandQueryDispatcher` can be resolved.
    public static func register(
        in registry: some DependencyRegistry,
        store: any EntityStore,
        progress: any ImportProgress = NoOpImportProgress()
    ) {
        registry.singleton((any EntityStore).self) { store }
        registry.singleton((any ImportProgress).self) { progress }
        registry.singleton { ActivityLog() }
        registry.singleton((any DomainEventDelegator).self) { scope in
            let registrar = DomainEventHandlerRegistrar(resolver: scope)
            registrar.register(BookPostings.self)
            registrar.register(RecordAccountOpened.self)
            registrar.register(RecordJournalImported.self)
            registrar.register(RecordTransactionPosted.self)
            return registrar
        }
        registry.transient { scope in EntityContext(scope.resolve()) }
        registry.transient { scope in
            UnitOfWork<EntityContext>(delegator: scope.resolve(), context: scope.resolve())
        }
        registry.commandQueryDispatch().standard(
            commandHandlers: [ImportJournalHandler.self, PostTransactionHandler.self],
            queryHandlers: [
                GetAccountsHandler.self, GetBalancesHandler.self, GetImportHandler.self, GetRegisterHandler.self,
            ]
        )
    }
}
