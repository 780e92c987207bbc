// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStorage

/// The entities that a context had read before a roll-back, and that the program still holds.
///
/// The context no longer tracks them, so a later change of such an entity would be lost. The next commit reports such a
/// change. The references are weak, because the program can't change an entity that it no longer holds.
struct RolledBackEntities {
    private var entities: [RolledBackEntity] = []

    /// Adds all entities of `added` that are still alive, in their current states.
    mutating func add(_ added: [RolledBackEntity]) {
        entities.removeAll { $0.entity == nil }
        for added in added where added.entity != nil {
            added.acceptCurrentState()
            entities.append(added)
        }
    }

    /// Removes `entity`, which belongs to the current unit of work from now on.
    mutating func remove(_ entity: some StoredEntity) {
        if entities.isEmpty { return }
        entities.removeAll { $0.entity == nil || $0.entity === entity }
    }

    /// Throws if an entity was changed, or has raised an event, since the roll-back.
    ///
    /// - Parameter isKnown: Whether the current unit of work knows the entity of a reference.
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `rolledBack`.
    mutating func requireUnchanged(_ isKnown: (EntityReference) -> Bool) throws {
        if entities.isEmpty { return }
        entities.removeAll { $0.entity == nil }
        for entity in entities where entity.isChanged {
            // The program has done what the message asks for: it has found the entity again.
            if entity.wasReported, isKnown(entity.reference) {
                entity.acceptCurrentState()
                continue
            }
            entity.report()
            throw StoreError.rolledBack(entity.reference)
        }
    }
}

/// An entity that was read before a roll-back.
final class RolledBackEntity {
    let reference: EntityReference
    private(set) weak var entity: (any StoredEntity)?
    private(set) var wasReported = false

    /// States that aren't reported: the state that was read, and the states at roll-backs.
    private var acceptedStates: [Data]

    private var eventCount = 0

    init(_ entity: any StoredEntity, storedAs document: StoredDocument) {
        self.entity = entity
        reference = document.reference
        acceptedStates = [document.json]
    }

    /// Whether the entity has new events, or a state that is not among the accepted states.
    var isChanged: Bool {
        guard let entity else { return false }
        if entity.raisedEvents.count > eventCount { return true }
        // An entity that can't be encoded has changed: it was decoded.
        guard let state = try? DocumentCoding.encode(entity) else { return true }
        return !acceptedStates.contains(state)
    }

    func acceptCurrentState() {
        guard let entity else { return }
        eventCount = entity.raisedEvents.count
        if let state = try? DocumentCoding.encode(entity), !acceptedStates.contains(state) {
            acceptedStates.append(state)
        }
    }

    /// Notes that the change was reported, and drops the events, which belong to no unit of work.
    func report() {
        wasReported = true
        entity?.raisedEvents.takeAll { _ in }
        eventCount = 0
    }
}
