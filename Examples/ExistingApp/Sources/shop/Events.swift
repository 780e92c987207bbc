// SPDX-License-Identifier: Apache-2.0

import Headrace

struct OrderPlaced: DurableDomainEvent {
    static let eventName = "order-placed"
    var order: Int64
    var customer: String
    var item: String
}

struct OrderShipped: DurableDomainEvent {
    static let eventName = "order-shipped"
    var order: Int64
    var customer: String
    var item: String
}
