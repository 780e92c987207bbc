// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import HTTPTypes
import HeadraceClient
import HeadraceCore

/// The problems of a route, which may declare errors that clients receive with all their members.
struct DeclaredProblems: Sendable {
    private let table: ProblemTable
    private let errors: [DeclaredError]

    init(_ table: ProblemTable, _ errors: [DeclaredError] = []) {
        self.table = table
        self.errors = errors
    }

    /// Runs `operation`, and makes a problem of an error that the route declares.
    ///
    /// - Throws: ``Problem``; all other errors of `operation`.
    nonisolated(nonsending) func around<Result>(
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        do {
            return try await operation()
        } catch {
            throw declaredProblem(for: error) ?? error
        }
    }

    /// Returns the problem of `error`; `nil` if it is unexpected.
    func problem(for error: any Error) -> Problem? {
        declaredProblem(for: error) ?? table.problem(for: error)
    }

    private func declaredProblem(for error: any Error) -> Problem? {
        for declared in errors {
            guard let value = declared.cast(error) else { continue }
            let coded = error as? any CodedError
            var problem =
                table.problem(for: error)
                ?? Problem(
                    .unprocessableContent, code: coded?.codeName ?? declared.name, coded?.message ?? declared.name)
            problem.error = (declared.name, value)
            return problem
        }
        return nil
    }
}
#endif
