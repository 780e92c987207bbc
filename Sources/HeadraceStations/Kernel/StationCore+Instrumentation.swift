// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

extension StationCore {
    /// Reduces one action within the middleware, notifies the observers, and starts its effects.
    func processInstrumented(
        _ action: Action,
        completion: ActionCompletion?,
        cause: MessageContext?,
        source: ActionSource
    ) {
        let context = MessageContext(kind: .action, type: Action.self, causedBy: cause)
        if let middleware = actionMiddleware.refusing(action, in: context) {
            refuse(action, completion: completion, in: context, by: middleware)
            return
        }
        let observers = observers.areListening ? observers : []
        let start = observers.isEmpty ? nil : clock.now
        for observer in observers { observer.messageBegan(action, in: context) }
        actionMiddleware.willExecute(action, in: context)

        MessageContext.withCurrent(context) {
            let effect = reduceAndNotify(action)
            if hasReductionObservers { notifyReductionObservers(of: action, from: source, completion) }
            self.start(effect, of: action, completion: completion, message: context)
        }

        actionMiddleware.didExecute(action, in: context)
        if let start {
            let duration = start.duration(to: clock.now)
            for observer in observers { observer.messageEnded(context, outcome: .success, after: duration) }
        }
    }

    private func refuse(
        _ action: Action,
        completion: ActionCompletion?,
        in context: MessageContext,
        by middleware: any ActionMiddleware.Type
    ) {
        let error = MessageError.refused(context, by: middleware)
        for observer in observers where observer.isListening {
            observer.messageBegan(action, in: context)
            observer.messageEnded(context, outcome: .failure(error), after: .zero)
        }
        (completion ?? makePouredCompletion()).fail(error)
        notifyOfFailure(error, of: action)
    }

    /// Notifies the observers that `action` was reduced.
    ///
    /// It is separate, because it looks up the metadata of the observers' type.
    @inline(never)
    private func notifyReductionObservers(
        of action: Action,
        from source: ActionSource,
        _ completion: ActionCompletion?
    ) {
        let completion = completion ?? pouredCompletion
        for observer in reductionObservers { observer.reduced(state, action, source, completion) }
    }

    func notifyOfFailure(_ error: any Error, of action: Action?) {
        for observer in reductionObservers { observer.failed?(error, action) }
    }

    /// Adds an observer of reductions and failures.
    ///
    /// - Returns: The number with which ``removeReductionObserver(_:)`` removes it.
    @discardableResult
    func addReductionObserver(
        reduced: @escaping (State, Action, ActionSource, ActionCompletion?) -> Void,
        failed: ((any Error, Action?) -> Void)? = nil
    ) -> Int {
        lastObserverNumber += 1
        reductionObservers.append(ReductionObserver(number: lastObserverNumber, reduced: reduced, failed: failed))
        updateInstrumentation()
        return lastObserverNumber
    }

    func removeReductionObserver(_ number: Int) {
        reductionObservers.removeAll { $0.number == number }
        updateInstrumentation()
    }
}
