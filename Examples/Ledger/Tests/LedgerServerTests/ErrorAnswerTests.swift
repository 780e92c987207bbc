// SPDX-License-Identifier: Apache-2.0

#if Server
import HTTPTypes
import Headrace
import HeadraceHummingbird
import LedgerApplication
import Testing

@testable import LedgerServer

/// The responses to errors of the store.
@Suite struct ErrorAnswerTests {
    @Test(arguments: [StoreError.Code.alreadyExists, .uniqueViolation])
    func onlyADuplicateTransactionIsReportedAsExisting(code: StoreError.Code) {
        func problem(_ kind: String) -> Problem? {
            ProblemTable.ledger.problem(
                for: StoreError(code: code, message: "", entity: EntityReference(kind: kind, key: "1")))
        }

        #expect(problem(Transaction.entityName)?.code == "exists")
        #expect(problem(Account.entityName)?.code == "\(code)")
    }

    @Test(arguments: [
        (StoreError.Code.unreachable, 503, "databaseUnreachable"), (.outcomeUnknown, 503, "outcomeUnknown"),
        (.tooLong, 422, "tooLong"),
    ])
    func eachFailureOfAServerHasItsOwnCode(code: StoreError.Code, status: Int, name: String) {
        let problem = ProblemTable.ledger.problem(for: StoreError(code: code, message: "too long"))

        #expect(problem?.status.code == status)
        #expect(problem?.code == name)
    }

    @Test func anAccountThatAnotherServerHasOpenedIsRetryable() async throws {
        let store = try InMemoryStore(entities: LedgerComposition.entities)
        let (one, other) = (EntityContext(store), EntityContext(store))
        #expect(try await one.find(Account.self, id: "assets:cash") == nil)
        other.insert(Account(opening: "assets:cash"))
        try await other.commit([])
        one.insert(Account(opening: "assets:cash"))

        let error = await #expect(throws: StoreError.self) { try await one.commit([]) }

        #expect(ProblemTable.ledger.problem(for: try #require(error))?.code == "busy")
    }
}
#endif
