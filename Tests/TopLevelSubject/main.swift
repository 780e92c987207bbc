// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceFlux

// The sample of AsyncDispatcher's README, at the top level of a main.swift.

actor CounterStore: Dispatcher {
    let pipeline = Pipeline()
    var middlewares = [] as [any Middleware]

    // The state
    var count = 0
}

extension CounterStore {
    struct Increment: Action {
        var value = 1

        func execute(with store: isolated CounterStore) async {
            store.count += value
        }
    }
}

let counterStore = CounterStore()

async let one = counterStore.dispatch(CounterStore.Increment())
async let ten = counterStore.dispatch(CounterStore.Increment(value: 10))

_ = await [one, ten]

print(await counterStore.count)

await counterStore.dispatch(CounterStore.Increment())

print(await counterStore.count)
