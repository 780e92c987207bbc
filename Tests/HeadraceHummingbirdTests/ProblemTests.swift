// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import Foundation
import HeadraceHummingbird
import HeadraceStorage
import Testing

@Suite struct ProblemTests {
    @Test func aTakenValueIsNamedByItsIndexWithoutTheValueOrTheOtherEntity() throws {
        let error = StoreError.uniqueViolation(
            EntityReference(kind: "member", key: "17"),
            entry: ChangeSet.IndexEntry(index: "email", value: .text("ada@example.org")),
            takenBy: "4"
        )

        let problem = try #require(ProblemTable().problem(for: error))
        let json = try JSONDecoder().decode(Body.self, from: JSONEncoder().encode(problem))

        #expect(json.status == 409)
        #expect(json.code == "uniqueViolation")
        #expect(json.failures == [Body.Failure(path: "email", text: "is taken")])
        let text = String(decoding: try JSONEncoder().encode(problem), as: UTF8.self)
        #expect(!text.contains("ada@example.org"))
        #expect(!text.contains("17"))
        #expect(!text.contains("member"))
    }

    private struct Body: Decodable {
        struct Failure: Decodable, Equatable {
            let path: String
            let text: String
        }

        let status: Int
        let code: String
        let failures: [Failure]
    }
}
#endif
