// SPDX-License-Identifier: Apache-2.0

#if SQLite
import HeadraceSQLite
import HeadraceStoreContract
import HeadraceTesting
import Testing

@Suite struct SQLiteStoreTests {
    @Test(.timeLimit(.minutes(5)), arguments: StoreContract.checks(for: .shared))
    func keepsTheContract(check: StoreContract.Check) async throws {
        try await withTemporaryFolder { folder in
            try await check.run { entities in
                try SQLiteStore(path: folder.path(of: "store.sqlite"), entities: entities)
            }
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: StoreContract.checks(for: .shared), ProgramDatabase.allCases)
    func keepsTheContractInTheDatabaseOfAProgram(check: StoreContract.Check, kind: ProgramDatabase) async throws {
        try await withTemporaryFolder { folder in
            try await check.run { entities in
                try SQLiteStore(on: kind.open(folder.path(of: "shop.sqlite")), entities: entities)
            }
        }
    }
}
#endif
