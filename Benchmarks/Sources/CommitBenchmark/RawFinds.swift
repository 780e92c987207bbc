// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

/// Reads entities with GRDB alone.
enum RawFinds {
    /// Finds `count` entities, and awaits each.
    ///
    /// - Returns: The number of entities per second.
    static func find(_ count: Int, in path: String) async throws -> Double {
        let pool = try DatabasePool(path: path)
        defer { try? pool.close() }
        let start = ContinuousClock.now
        for number in 0..<count {
            let document = try await pool.read { database in
                try String.fetchOne(
                    database.cachedStatement(sql: "SELECT document FROM headrace_entity WHERE kind = 1 AND key = ?"),
                    arguments: ["\(number % 1_000)"]
                )
            }
            precondition(document != nil)
        }
        return Double(count) / (start.duration(to: .now) / .seconds(1))
    }
}
