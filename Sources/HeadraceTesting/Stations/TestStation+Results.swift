// SPDX-License-Identifier: Apache-2.0

public import HeadraceStations

extension TestStation {
    /// Pours `action`, asserts the state after its reduction, and awaits its result.
    ///
    /// The test must read the ``TestResult/value`` before ``finish(fileID:filePath:line:column:)``. It must receive the action
    /// that holds the result, too.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - result: The case whose value is the result.
    ///   - assert: Applies the expected changes; see ``pour(_:assert:fileID:filePath:line:column:)``.
    ///   - fileID: The file ID for reported issues.
    ///   - filePath: The file path for reported issues.
    ///   - line: The line for reported issues.
    ///   - column: The column for reported issues.
    /// - Returns: The result.
    public func pour<Value: Sendable>(
        _ action: Action,
        returning result: Case<Action, Value>,
        assert: (@Sendable (_ state: inout State) throws -> Void)? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async -> TestResult<Value> {
        let location = IssueSink.Location(fileID: fileID, filePath: filePath, line: line, column: column)
        await begin()
        let (index, problems) = await host.pour(action, returning: result.value(in:), exhaustivity, assert)
        await executor.idle()
        await report(problems, at: location)
        return TestResult { [host, executor] in
            await executor.idle()
            guard let value = try await host.result(index) as? Value else {
                preconditionFailure("A result has another type than its action.")
            }
            return value
        }
    }
}
