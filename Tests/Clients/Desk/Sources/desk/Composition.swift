//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Headrace

func makeContainer(store: SQLiteStore) throws -> Container {
    let builder = ContainerBuilder()
    builder.singleton { Letters() }
    builder.singleton { scope in
        let registrar = DomainEventHandlerRegistrar(resolver: scope)
        registrar.register(ThankReader.self)
        return registrar
    }
    builder.transient { EntityContext(store) }
    builder.transient { scope in
        UnitOfWork<EntityContext>(
            delegator: scope.resolve(DomainEventHandlerRegistrar.self),
            context: scope.resolve()
        )
    }
    builder.commandQueryDispatch().standard(
        commandHandlers: [LendBookHandler.self],
        queryHandlers: [GetBooksHandler.self]
    )
    try builder.validate()
    return builder.build()
}
