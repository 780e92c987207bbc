// SPDX-License-Identifier: Apache-2.0

#if Server
import LedgerTestSupport
import Testing

extension Trait where Self == ConditionTrait {
    /// Skips a test that has no meaning for a PostgreSQL server.
    static func fileOnly(_ reason: TestDatabase.FileOnly) -> Self {
        .disabled(if: TestDatabase.server != nil, Comment(rawValue: reason.rawValue))
    }
}
#endif
