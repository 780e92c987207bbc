//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceTesting
import Testing

@Suite struct StoreContractTests {
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
}
