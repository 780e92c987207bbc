// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension InMemoryStore {
    /// The whole content of a store at one moment.
    package struct Contents: Sendable {
        /// A delivery of an event that isn't completed.
        package struct PendingEvent: Sendable {
            /// The name of the subscription.
            package let subscription: String

            /// The entity whose order the delivery keeps; `nil` if it has no order.
            package let stream: EntityReference?

            /// The position of the event in the log.
            package let position: Int64

            /// Whether the subscription is being replayed and has already received the event.
            package let isReplay: Bool
        }

        fileprivate let state: InMemoryState

        fileprivate init(state: InMemoryState) {
            self.state = state
        }

        /// Creates a content of `documents` with their versions, and with no events.
        ///
        /// - Throws: ``StoreError`` if a document has no kind in `schema`, or can't be decoded.
        package init(_ documents: [StoredDocument], of schema: EntitySchema) throws {
            var changes = ChangeSet()
            for document in documents {
                guard let kind = schema.kinds.first(where: { $0.name == document.reference.kind }) else {
                    throw StoreError.undeclaredEntity(document.reference)
                }
                changes.writes.append(
                    ChangeSet.Write(document: document, addedEntries: try kind.entries(document)))
            }
            var state = InMemoryState()
            state.apply(changes)
            self.state = state
        }

        /// The events of the log, in their order.
        package var events: [EventRecord] { state.events }

        /// The greatest position of an event that was pruned, or 0.
        package var prunedPosition: Int64 { state.prunedPosition }

        /// Returns the events of the log after `position`.
        package func events(after position: Int64) -> ArraySlice<EventRecord> {
            state.events[state.events.index(after: position)...]
        }

        /// Returns the event at `position`, or `nil`.
        package func event(at position: Int64) -> EventRecord? { state.events.record(at: position) }

        /// Whether a command with this idempotency key has taken effect.
        package func hasRecord(of key: String) -> Bool { state.deliveries.records[BytewiseString(key)] != nil }

        /// The deliveries of events that aren't completed, in the order of their lanes and positions.
        package var pendingEvents: [PendingEvent] {
            state.deliveries.lanes.sorted { $0.key < $1.key }.flatMap { _, lane in
                lane.entries.filter { $0.position > 0 }.map { entry in
                    PendingEvent(
                        subscription: lane.subscription.text,
                        stream: lane.stream,
                        position: entry.position,
                        isReplay: entry.isReplay
                    )
                }
            }
        }

        /// The subscriptions and positions of the dead letters, in the order of their identifiers.
        package var deadLetters: [(subscription: String, position: Int64)] {
            state.deliveries.letters.sorted { $0.key < $1.key }.map { _, letter in
                (letter.subscription.text, letter.failure.position)
            }
        }
    }

    /// The whole content of the store now.
    package var contents: Contents { Contents(state: state.withLock { $0 }) }

    /// Replaces the whole content of the store, without a record in its feed.
    package func restore(_ contents: Contents) {
        state.withLock { $0 = contents.state }
    }
}
