// SPDX-License-Identifier: Apache-2.0

import Headrace

func makeContainer(store: any DeliveryStore, mailer: any Mailer, sales: SalesTable) throws -> Container {
    let builder = ContainerBuilder()
    builder.singleton((any Mailer).self) { mailer }
    builder.singleton { sales }
    builder.domain(store: store, handlers: [SendConfirmation.self, SendShippingNote.self, CountSale.self])
    try builder.validate(.strict)
    return builder.build()
}
