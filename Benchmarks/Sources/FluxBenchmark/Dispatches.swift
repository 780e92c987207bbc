// SPDX-License-Identifier: Apache-2.0

import DispatchSubjects
import FluxSubjects
import HeadraceFlux
import Measuring

extension Workload {
    /// Executes an action within another action.
    static let executeWithin = Workload("execute-within-an-action") {
        let counter = Counter()
        return { iterations in await counter.dispatch(CountWithin(times: iterations)) }
    }

    /// Dispatches an action to a dispatcher without other callers, and waits for it.
    static func dispatch(through count: Int) -> Workload {
        Workload("dispatch-through-\(count)-middleware") {
            let counter = Counter(middlewares: passThroughMiddleware(count))
            return { iterations in
                for number in 0..<iterations { await counter.dispatch(Count(number)) }
            }
        }
    }

    /// Dispatches an action through synchronous middleware.
    static func dispatch(throughSynchronous count: Int) -> Workload {
        Workload("dispatch-through-\(count)-synchronous") {
            let counter = Counter(middlewares: synchronousMiddleware(count))
            return { iterations in
                for number in 0..<iterations { await counter.dispatch(Count(number)) }
            }
        }
    }

    /// Waits for a dispatcher that has nothing to do.
    static let drain = Workload("drain-with-nothing-left") {
        let counter = Counter()
        return { iterations in
            for _ in 0..<iterations { try await counter.drain() }
        }
    }

    /// Queues actions while the dispatcher is paused, activates it, and waits until all are executed.
    static let queue = Workload("queue-an-action-and-execute-it") {
        let counter = Counter()
        return { iterations in
            counter.deactivate()
            for number in 0..<iterations { counter.queue(Count(number)) }
            counter.activate()
            try await counter.drain()
        }
    }

    /// Calls the body of the action directly.
    static let callDirectly = Workload("floor-call") {
        let counter = Counter()
        return { iterations in
            for number in 0..<iterations { await Count(number).execute(with: counter) }
        }
    }

    /// Hops to an actor and back, and suspends once, with an immediate resume.
    static let hopAndContinue = Workload("floor-hop-and-continuation") {
        let hopper = Hopper()
        return { iterations in
            for number in 0..<iterations {
                await hopper.take(number)
                await withCheckedContinuation { $0.resume() }
            }
        }
    }
}
