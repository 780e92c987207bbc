// SPDX-License-Identifier: Apache-2.0

import Headrace

func makeContainer(store: any DeliveryStore, announcer: Announcer) throws -> Container {
    let builder = ContainerBuilder()
    builder.singleton { announcer }
    builder.domain(store: store, handlers: [AnnounceCompletion.self])
    builder.commandQueryDispatch().standard(
        commandHandlers: [AddToDoHandler.self, CompleteToDoHandler.self],
        queryHandlers: [GetToDosHandler.self],
        middleware: [RetryMiddleware()]
    )
    try builder.validate(.strict)
    return builder.build()
}
