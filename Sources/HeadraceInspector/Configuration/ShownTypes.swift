// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceProcesses
import HeadraceStorage

/// The types whose content is shown, with the names under which their values are stored.
struct ShownTypes: Sendable {
    private var types: Set<ObjectIdentifier> = []

    /// Stored names of events and commands.
    private var messageNames: Set<String> = []

    /// Names of the entities and processes with shown identifiers.
    private var ownerNames: Set<String> = []

    /// Adds `type`.
    mutating func insert<Shown>(_ type: Shown.Type) {
        types.insert(ObjectIdentifier(type))
        if let event = type as? any DurableDomainEvent.Type { messageNames.insert(event.eventName) }
        if let command = type as? any DurableCommand.Type { messageNames.insert(command.commandName) }
        if let entity = type as? any StoredEntity.Type { ownerNames.insert(entity.entityName) }
        if let process = type as? any DurableProcess.Type { ownerNames.insert(process.processName) }
    }

    func contains(_ type: Any.Type) -> Bool { types.contains(ObjectIdentifier(type)) }

    func containsMessage(named name: String) -> Bool { messageNames.contains(name) }

    func containsOwner(named name: String) -> Bool { ownerNames.contains(name) }

    /// Whether the dynamic type of `value` is in the list.
    func containsType(of value: Any) -> Bool { !types.isEmpty && contains(type(of: value)) }
}
