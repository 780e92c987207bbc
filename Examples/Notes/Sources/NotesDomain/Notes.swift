// SPDX-License-Identifier: Apache-2.0

import Headrace
import HeadraceClient

/// What the server and the devices share.
package enum Notes {
    /// The messages of the server.
    package static let api = MessageAPI([
        .put("notes/{note}", command: AddNote.self, errors: [NoteError.self]),
        .put("notes/{note}/title", command: RenameNote.self, errors: [NoteError.self]),
        .delete("notes/{note}", command: RemoveNote.self),
        .live("notes", query: ListNotes.self),
    ])

    /// Returns the handlers on `store`, with durable handlers for the server.
    package static func container(
        on store: any DeliveryStore,
        handlers: [any (HandlesDomainEvent & Resolvable).Type] = [],
        observers: [any MessageObserver] = [],
        relayObservers: [any RelayObserver] = [],
        _ register: (ContainerBuilder) -> Void = { _ in }
    ) throws -> Container {
        let builder = ContainerBuilder()
        register(builder)
        builder.domain(store: store, handlers: handlers, observers: observers, relayObservers: relayObservers)
        builder.commandQueryDispatch().standard(
            commandHandlers: [AddNoteHandler.self, RenameNoteHandler.self, RemoveNoteHandler.self],
            queryHandlers: [ListNotesHandler.self],
            middleware: [RetryMiddleware()],
            resolvedMiddleware: [IdempotencyMiddleware.self],
            observers: observers
        )
        try builder.validate(.strict)
        return builder.build()
    }
}
