//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser

/// Which database the books are in; every command that needs one takes it.
struct DatabaseOption: ParsableArguments {
    @Option(
        name: [.customLong("database"), .customShort("d")],
        help: "The SQLite file that holds the books.",
        completion: .file(extensions: ["sqlite", "sqlite3", "db"])
    )
    var path = "ledger.sqlite"
}
