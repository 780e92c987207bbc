// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceFlux

// The store of AsyncDispatcher's README, with variables that the compiler must reject.

// expected-error@+3 {{conformance of 'VariablePipeline' to protocol 'Dispatcher' crosses into actor-isolated code}}
// expected-note@+2 {{turn data races into runtime errors with '@preconcurrency'}}
// A pipeline is read from outside of the actor, and must be a constant.
actor VariablePipeline: Dispatcher {
    // expected-note@+1 {{actor-isolated property 'pipeline' cannot satisfy nonisolated requirement}}
    var pipeline = Pipeline()
}

// expected-error@+3 {{conformance of 'StoredIsDispatching' to protocol 'Dispatcher' crosses into actor-isolated code}}
// expected-note@+2 {{turn data races into runtime errors with '@preconcurrency'}}
// Nothing would ever change it.
actor StoredIsDispatching: Dispatcher {
    let pipeline = Pipeline()
    // expected-note@+1 {{actor-isolated property 'isDispatching' cannot satisfy nonisolated requirement}}
    var isDispatching = false
}

// expected-error@+4 {{conformance of 'MainStoredIsDispatching' to protocol 'Dispatcher' crosses into main actor-isolated}}
// expected-note@+3 {{turn data races into runtime errors with '@preconcurrency'}}
// expected-note@+2 {{isolate this conformance to the main actor with '@MainActor'}}
// The same of the main actor.
@MainActor final class MainStoredIsDispatching: Dispatcher {
    let pipeline = Pipeline()
    // expected-note@+1 {{main actor-isolated property 'isDispatching' cannot satisfy nonisolated requirement}}
    var isDispatching = false
}

struct Increment: Action {
    func execute(with store: isolated Store) async {}
}

actor Store: Dispatcher {
    let pipeline = Pipeline()

    nonisolated func increment() {  // expected-note {{add 'async' to function 'increment()' to make it asynchronous}}
        // Only 'queue' has a form that does not wait.
        dispatch(Increment())  // expected-error {{'async' call in a function that does not support concurrency}}
    }
}
