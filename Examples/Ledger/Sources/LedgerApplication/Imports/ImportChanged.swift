// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Headrace

/// The state or the progress of an import job has changed.
public struct ImportChanged: DurableDomainEvent {
    /// The name of the event in the store.
    public static let eventName = "import-changed"

    /// The identifier of the job.
    public let id: UUID
}
