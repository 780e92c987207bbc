// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceStorage
import Logging

extension EntityContext {
    /// Number of entities that a released context compares with their stored states.
    ///
    /// An ordinary commit compares all of them, but a context for reading can have thousands.
    private static let comparedCount = 8

    /// Number of changes that a report names.
    private static let namedCount = 8

    /// Logs an error if the context has changes, which nothing stores any more.
    ///
    /// A test with the values of `SystemValues.test(clock:seed:)` fails, too.
    func reportLostChanges() {
        let lost = lostChanges
        if lost.isEmpty { return }
        let names = lost.prefix(Self.namedCount).joined(separator: ", ")
        let rest = lost.count > Self.namedCount ? ", and \(lost.count - Self.namedCount) more" : ""
        let message = """
            An 'EntityContext' was released with changes that no unit of work has committed, so they are lost: \(names)\(rest). \
            To fix, add 'UnitOfWorkMiddleware<EntityContext>.self' to the 'resolvedMiddleware' of the dispatcher, or change \
            the entities within 'execute' of a 'UnitOfWork'. To discard changes, call 'rollback()'.
            """
        Logger.current.error("\(message)")
        SystemValues.bound?.reportMistake?(message)
    }

    /// The changes that a commit would store, each in a few words.
    private var lostChanges: [String] {
        var comparisons = 0
        var lost: [String] = []
        for entity in tracked.all where !entity.isReplaced {
            let isNew = !entity.isRead && !entity.isDeleted
            if isNew || (entity.isRead && entity.isDeleted) || entity.entity.raisedEvents.count > 0 {
                lost.append("the \(entity.reference)")
            } else if entity.isRead, comparisons < Self.comparedCount {
                comparisons += 1
                if entity.isChanged { lost.append("the \(entity.reference)") }
            }
        }
        return lost + otherChanges
    }
}
