//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser

/// The option for the database, which all commands on a ledger share.
struct DatabaseOption: ParsableArguments {
    @Option(
        name: [.customLong("database"), .customShort("d")],
        help: "The SQLite file of the ledger.",
        completion: .file(extensions: ["sqlite", "sqlite3", "db"])
    )
    var path = "ledger.sqlite"
}
