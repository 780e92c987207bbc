// SPDX-License-Identifier: Apache-2.0

package import HeadraceDomain

/// One entry in the journal of an instance, as it is stored.
package final class StoredWorkflowRecord: StoredEntity {
    package static let entityName = "headrace.workflow-record"

    package static var indexes: [EntityIndex<StoredWorkflowRecord>] { [.instance] }

    /// The identifier of the instance, a slash, and the position.
    package let id: String

    /// The identifier of the instance.
    let instance: String

    /// The position in the journal, counting from 1.
    let position: Int

    package let record: WorkflowRecord

    package var raisedEvents = RaisedEvents()

    init(_ record: WorkflowRecord, of instance: String, position: Int) {
        id = "\(instance)/\(position)"
        self.instance = instance
        self.position = position
        self.record = record
    }

    package init(from decoder: inout DocumentDecoder) throws {
        try decoder.beginObject()
        id = try decoder.decode(String.self, forKey: "id")
        instance = try decoder.decode(String.self, forKey: "instance")
        position = try decoder.decode(Int.self, forKey: "position")
        record = try decoder.decode(WorkflowRecord.self, forKey: "record")
        try decoder.endObject()
    }

    package func encode(to encoder: inout DocumentEncoder) throws {
        try encoder.beginObject()
        try encoder.encode(id, forKey: "id")
        try encoder.encode(instance, forKey: "instance")
        try encoder.encode(position, forKey: "position")
        try encoder.encode(record, forKey: "record")
        encoder.endObject()
    }
}

extension EntityIndex<StoredWorkflowRecord> {
    /// The identifier of the instance.
    static var instance: Self { EntityIndex("instance") { $0.instance } }
}

extension EntityContext {
    /// Returns the journal of an instance, in order.
    package nonisolated(nonsending) func journal(of instance: String) async throws -> [StoredWorkflowRecord] {
        try await fetch(StoredWorkflowRecord.self, where: [.equals(.instance, instance)])
            .sorted { $0.position < $1.position }
    }
}
