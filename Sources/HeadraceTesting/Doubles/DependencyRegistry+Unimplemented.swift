// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
public import HeadraceResolution
import IssueReporting

extension DependencyRegistry {
    /// Registers `contract` as a dependency that a test doesn't expect to be used: a test that resolves it fails.
    ///
    /// ```swift
    /// builder.unimplemented((any Mailer).self, placeholder: SilentMailer())
    /// ```
    ///
    /// The issue names the contract, at the line of this registration. The test continues with the placeholder, so the other
    /// checks of the test are reported as well. An object that receives the contract in its initializer resolves it when it is
    /// created, even if it never calls it.
    ///
    /// Graphs show the registration as unimplemented. `validate()` accepts it.
    public func unimplemented<Contract>(
        _ contract: Contract.Type,
        placeholder: @autoclosure @escaping @Sendable () -> Contract,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) {
        var registration = Registration(transient: contract, dependencies: Dependencies()) { _ in
            reportIssue(
                """
                '\(String(naming: contract))' was resolved, and this test has no implementation of it. To fix, register \
                a double of it, or find the object that needs it by mistake.
                """,
                fileID: fileID,
                filePath: filePath,
                line: line,
                column: column
            )
            return placeholder()
        }
        registration.remarks = ["unimplemented"]
        register(registration)
    }
}
