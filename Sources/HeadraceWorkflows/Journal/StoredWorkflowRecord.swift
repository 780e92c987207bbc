// SPDX-License-Identifier: Apache-2.0

package import HeadraceDomain

/// One entry in the journal of an instance, as it is stored.
package final class StoredWorkflowRecord: StoredEntity {
    package static let entityName = "headrace.workflow-record"

    /// The identifier of the instance, a slash, and the position.
    package let id: String

    /// The identifier of the instance.
    let instance: String

    /// The position in the journal, counting from 1.
    let position: Int

    package let record: WorkflowRecord

    package var raisedEvents = RaisedEvents()

    init(_ record: WorkflowRecord, of instance: String, position: Int) {
        id = Self.id(of: instance, at: position)
        self.instance = instance
        self.position = position
        self.record = record
    }

    /// The identifier of the record at `position` in the journal of `instance`.
    static func id(of instance: String, at position: Int) -> String { "\(instance)/\(position)" }

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

extension EntityContext {
    /// Returns the journal of an instance, in order.
    package nonisolated(nonsending) func journal(of instance: StoredWorkflow) async throws -> [StoredWorkflowRecord] {
        try await find(
            StoredWorkflowRecord.self,
            ids: (0..<instance.recordCount).map { StoredWorkflowRecord.id(of: instance.id, at: $0 + 1) })
    }
}
