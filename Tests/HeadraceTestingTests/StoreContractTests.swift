// SPDX-License-Identifier: Apache-2.0

import HeadraceDomain
import HeadraceStorage
import HeadraceStoreContract
import HeadraceTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct StoreContractTests {
    @Test func namesOfChecksDiffer() {
        let names = StoreContract.checks(for: .persistent).map(\.name)

        #expect(Set(names).count == names.count)
    }

    @Test func storesThatPersistKeepMore() {
        let everyStore = StoreContract.checks(for: .inMemory).map(\.name)
        let persistent = StoreContract.checks(for: .persistent).map(\.name)

        #expect(persistent.starts(with: everyStore))
        #expect(persistent.count > everyStore.count)
    }

    @Test(arguments: FaultyStore.Fault.allCases)
    func aStoreThatBreaksAPromiseIsFound(fault: FaultyStore.Fault) async throws {
        var violations: [String] = []

        for check in StoreContract.checks(for: .inMemory) {
            do {
                try await check.run { entities in try FaultyStore(fault, entities: entities) }
            } catch {
                violations.append("\(check): \(error)")
            }
        }

        #expect(!violations.isEmpty)
    }

    @Test func aStoreThatForgetsIsFoundByTheChecksOfPersistence() async throws {
        for check in StoreContract.checks(for: .persistent) where check.name.contains("opened again holds") {
            await #expect(throws: ContractViolation.self) {
                try await check.run { entities in try InMemoryStore(entities: entities) }
            }
        }
    }

    @Test func aViolationNamesWhatWasExpectedWhatHappenedAndWhere() async throws {
        let check = try #require(StoreContract.checks(for: .inMemory).first { $0.name.hasPrefix("an insertion under") })

        let violation = await #expect(throws: ContractViolation.self) {
            try await check.run { entities in try FaultyStore(.overwritesOnInsertion, entities: entities) }
        }

        #expect(violation?.expectation == "an insertion under a taken key is refused with alreadyExists")
        #expect(violation?.observation == "it is stored")
        #expect(violation?.fileID == "HeadraceStoreContract/VersionChecks.swift")
        #expect(
            violation.map { $0.description }
                == violation.map {
                    "Expected that \($0.expectation); observed: \($0.observation) (\($0.fileID):\($0.line))"
                }
        )
    }
}
