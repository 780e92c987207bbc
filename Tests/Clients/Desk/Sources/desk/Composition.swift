// SPDX-License-Identifier: Apache-2.0

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
