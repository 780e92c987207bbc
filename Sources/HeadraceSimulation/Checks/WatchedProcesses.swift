// SPDX-License-Identifier: Apache-2.0

#if Simulations
import Foundation
import HeadraceProcesses
import HeadraceStorage

/// The processes that have ended.
struct WatchedProcesses: Sendable {
    /// The part of the stored state that says whether a process has ended.
    private struct Progress: Decodable {
        let handledCount: Int
        let endedAt: Date?
    }

    /// Number of reactions of each ended process, by its identifier.
    private var ended: [String: Int] = [:]

    /// Notes a commit of `node`.
    ///
    /// - Returns: A violation.
    mutating func note(_ changes: ChangeSet, by node: String) -> String? {
        var violation: String?
        for deletion in changes.deletions where deletion.reference.kind == StoredProcess.entityName {
            ended[deletion.reference.key] = nil
        }
        for write in changes.writes where write.document.reference.kind == StoredProcess.entityName {
            let key = write.document.reference.key
            guard let progress = try? DocumentCoding.decode(Progress.self, from: write.document.json) else { continue }
            if let count = ended[key], progress.endedAt == nil || progress.handledCount != count {
                violation = "The process '\(key)' has reacted on '\(node)' after its end."
            }
            if progress.endedAt != nil { ended[key] = progress.handledCount }
        }
        return violation
    }

    /// Forgets the processes, because a crash can have lost their ends.
    mutating func forget() {
        ended = [:]
    }
}
#endif
