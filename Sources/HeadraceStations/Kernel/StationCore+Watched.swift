//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

extension StationCore {
    /// Reduces one action within the middleware, tells the observers, and starts its effects as caused by it.
    func turnWatched(_ action: Action, of activity: Activity?, cause: MessageContext?, from source: ActionSource) {
        let context = MessageContext(kind: .action, type: Action.self, causedBy: cause)
        for middleware in actionMiddleware where !middleware.shouldExecute(action, in: context) {
            refuse(action, of: activity, in: context, by: middleware)
            return
        }
        let observers = observers.areListening ? observers : []
        let start = observers.isEmpty ? nil : clock.now
        for observer in observers { observer.messageBegan(action, in: context) }
        for middleware in actionMiddleware { middleware.willExecute(action, in: context) }

        MessageContext.withCurrent(context) {
            for tap in taps { tap.before?(state, action) }
            let effect = reduceObserved(action)
            for tap in taps { tap.after?(state, action, source) }
            self.start(effect, of: action, activity: activity, context: context)
        }

        for middleware in actionMiddleware.reversed() { middleware.didExecute(action, in: context, outcome: .success) }
        if let start {
            let duration = start.duration(to: clock.now)
            for observer in observers { observer.messageEnded(context, outcome: .success, after: duration) }
        }
    }

    private func refuse(
        _ action: Action,
        of activity: Activity?,
        in context: MessageContext,
        by middleware: any ActionMiddleware
    ) {
        let error = MessageError.refused(context, by: type(of: middleware))
        for observer in observers where observer.isListening {
            observer.messageBegan(action, in: context)
            observer.messageEnded(context, outcome: .failure(error), after: .zero)
        }
        (activity ?? makeTurnActivity()).fail(error)
        for tap in taps { tap.failed?(error, action) }
    }

    /// Adds a tap, and returns what to call it.
    func addTap(
        before: ((State, Action) -> Void)? = nil,
        after: ((State, Action, ActionSource) -> Void)? = nil,
        failed: ((any Error, Action) -> Void)? = nil
    ) -> Int {
        lastTapNumber += 1
        taps.append(Tap(number: lastTapNumber, before: before, after: after, failed: failed))
        updateWatched()
        return lastTapNumber
    }

    func removeTap(_ number: Int) {
        taps.removeAll { $0.number == number }
        updateWatched()
    }
}
