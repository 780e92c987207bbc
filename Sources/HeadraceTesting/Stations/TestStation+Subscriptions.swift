// SPDX-License-Identifier: Apache-2.0

extension TestStation {
    /// Asserts that exactly the subscriptions with `ids` are running.
    ///
    /// At the end of the test, the running subscriptions must be those that were asserted last; none if the test has asserted
    /// none.
    ///
    /// - Parameters:
    ///   - ids: The ids, in any order. They are compared as text.
    ///   - fileID: The file ID for reported issues.
    ///   - filePath: The file path for reported issues.
    ///   - line: The line for reported issues.
    ///   - column: The column for reported issues.
    public func expectSubscriptions(
        _ ids: (any Hashable & Sendable)...,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        await begin()
        await executor.idle()
        let running = await host.assertSubscriptions()
        let expected = ids.map { "\($0)" }.sorted()
        let problems =
            running == expected
            ? [] : ["Expected that the subscriptions \(expected) are running, but \(running) are running."]
        await report(
            problems,
            at: IssueSink.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        )
    }
}
