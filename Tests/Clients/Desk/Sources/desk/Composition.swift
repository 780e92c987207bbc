//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Headrace

func makeContainer(store: SQLiteStore) throws -> Container {
    let builder = ContainerBuilder()
    builder.singleton { Letters() }
    builder.domain(store: store, handlers: [ThankReader.self])
    builder.commandQueryDispatch().standard(
        commandHandlers: [LendBookHandler.self],
        queryHandlers: [GetBooksHandler.self]
    )
    try builder.validate(.strict)
    return builder.build()
}
