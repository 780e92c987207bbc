// SPDX-License-Identifier: Apache-2.0

/// A store broke a promise of ``StoreContract``.
public struct ContractViolation: Error, Sendable, CustomStringConvertible {
    /// The behaviour that the contract promises.
    public let expectation: String

    /// The behaviour of the store.
    public let observation: String

    /// The file of the check, in the form of `#fileID`.
    public let fileID: String

    /// The line of the check, counting from 1.
    public let line: Int

    /// The expectation, the observation, and the location of the check.
    public var description: String {
        "Expected that \(expectation); observed: \(observation) (\(fileID):\(line))"
    }
}
