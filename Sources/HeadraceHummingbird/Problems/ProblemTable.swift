// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
public import HeadraceCore
public import HTTPTypes

/// The table from errors to the problems that clients receive.
///
/// ```swift
/// var problems = ProblemTable()
/// problems.add(BookingError.self) { $0 == .soldOut ? .conflict : .unprocessableContent }
/// ```
///
/// A new table has rules for the errors of Headrace and Hummingbird; see <doc:HTTPServers>. The rules that an application
/// adds come first, the last one before all others. An error without a rule is unexpected: the client receives the status
/// 500 with an ID, and the log has the error with the same ID.
public struct ProblemTable: Sendable {
    private var rules: [@Sendable (any Error) -> Problem?] = []

    private let hasStandardRules: Bool

    /// Creates a table.
    ///
    /// - Parameter standardRules: Whether the table has the rules for the errors of Headrace and Hummingbird.
    public init(standardRules: Bool = true) {
        hasStandardRules = standardRules
    }

    /// Adds a rule for errors of the type `error`.
    ///
    /// - Parameters:
    ///   - error: The type of the errors.
    ///   - problem: Returns the problem of an error, or `nil` to leave it to the rules that were added before.
    public mutating func add<E: Error>(_ error: E.Type, problem: @escaping @Sendable (E) -> Problem?) {
        rules.append { error in (error as? E).flatMap(problem) }
    }

    /// Adds a rule for coded errors of the type `error`.
    ///
    /// The client receives the code and the message of the error, so the message must not contain secrets.
    ///
    /// - Parameters:
    ///   - error: The type of the errors.
    ///   - status: Returns the status for a code.
    public mutating func add<E: CodedError>(
        _ error: E.Type,
        status: @escaping @Sendable (E.Code) -> HTTPResponse.Status
    ) {
        rules.append { error in
            (error as? E).map { Problem(status($0.code), code: $0.codeName, $0.message) }
        }
    }

    /// Adds a rule for coded errors of the type `error`, all with the status `status`.
    ///
    /// The client receives the code and the message of the error, so the message must not contain secrets.
    public mutating func add<E: CodedError>(_ error: E.Type, status: HTTPResponse.Status) {
        add(error) { (_: E.Code) in status }
    }

    /// Returns the problem of `error`; `nil` if the error is unexpected.
    public func problem(for error: any Error) -> Problem? {
        for rule in rules.reversed() {
            if let problem = rule(error) { return problem }
        }
        return hasStandardRules ? Self.standardProblem(for: error) : nil
    }
}
#endif
