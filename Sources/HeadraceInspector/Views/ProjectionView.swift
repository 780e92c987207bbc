// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceProjections

/// A version of a projection, as the page shows it.
struct ProjectionView: Encodable {
    let name: String
    let version: Int
    let state: String

    /// Number of positions in the log that were not applied yet.
    let pending: Int

    /// Age of the oldest event that was not applied, in seconds; `nil` if there is none.
    let lag: Double?

    /// Why the next event can't be applied; `nil` if it can, or if the reason is hidden.
    let failure: String?

    init(_ status: ProjectionStatus, _ configuration: InspectorConfiguration, now: Date) {
        name = status.name
        version = status.version
        state = status.failure == nil ? status.state.description : "stopped"
        pending = status.pendingCount
        lag = status.oldestPending.map { max(0, now.timeIntervalSince($0)) }
        failure = status.failure.flatMap { configuration.shownFailure($0) }
    }
}
