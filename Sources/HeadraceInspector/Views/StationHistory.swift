//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HeadraceCore
import HeadraceStations
import Synchronization

/// What a station's state was when somebody began to look, and the actions since, as many as the limits allow.
final class StationHistory: Sendable {
    /// A property of the state.
    struct Property: Sendable, Equatable, Encodable {
        let name: String

        /// The value as it may be shown; `nil` where it may not, or where there is none.
        var value: String?
    }

    /// A property that an action has changed.
    struct Change: Sendable, Equatable, Encodable {
        let property: String
        let old: String?
        let new: String?
        let isGone: Bool
    }

    /// An action, and what it has changed.
    struct Step: Sendable, Equatable, Encodable {
        let number: Int
        let date: Double
        let type: String
        let action: String?
        let changes: [Change]

        fileprivate var byteCount: Int {
            changes.reduce(64 + type.utf8.count + (action?.utf8.count ?? 0)) { count, change in
                count + 32 + change.property.utf8.count + (change.old?.utf8.count ?? 0) + (change.new?.utf8.count ?? 0)
            }
        }
    }

    /// All that is known, as the page gets it.
    struct Picture: Sendable, Equatable, Encodable {
        let name: String

        /// Whether the station is gone.
        let isGone: Bool

        /// The state before the first step.
        let base: [Property]

        let steps: [Step]
    }

    fileprivate struct State {
        var isFollowed = false
        var isGone = false
        var base: [Property] = []
        var steps: [Step] = []
        var byteCount = 0
        var lastNumber = 0
    }

    private static let propertyLimit = 500

    let name: String
    private let configuration: Inspector.Configuration
    private let state = Mutex(State())

    init(name: String, configuration: Inspector.Configuration) {
        self.name = name
        self.configuration = configuration
    }

    var picture: Picture {
        state.withLock { state in
            Picture(name: name, isGone: state.isGone, base: state.base, steps: state.steps)
        }
    }

    /// Marks it as followed; tells whether it was not, and can be.
    func claim() -> Bool {
        state.withLock { state in
            if state.isFollowed || state.isGone { return false }
            state.isFollowed = true
            return true
        }
    }

    /// Marks it as no longer followed; where the station is gone, for ever.
    func release(isGone: Bool) {
        state.withLock { state in
            state.isFollowed = false
            state.isGone = isGone
        }
    }

    /// Begins anew with `properties`.
    func begin(_ properties: [StateChange]) {
        let base = properties.prefix(Self.propertyLimit).map { property in
            Property(name: property.property, value: shown(property.new, of: property.property))
        }
        state.withLock { state in
            state.base = base
            state.steps = []
            state.byteCount = 0
        }
    }

    /// Adds an action that was reduced at `date`.
    func add<Action>(_ reduction: Reduction<Action>, at date: Date) {
        let changes = reduction.changes.prefix(Self.propertyLimit).map { change in
            Change(
                property: change.property,
                old: shown(change.old, of: change.property),
                new: shown(change.new, of: change.property),
                isGone: change.new == nil
            )
        }
        let type = String(naming: Action.self)
        let action = configuration.shown(reduction.action, by: configuration.redaction.message)
        state.withLock { state in
            state.lastNumber += 1
            let step = Step(
                number: state.lastNumber,
                date: date.flowTime,
                type: type,
                action: action,
                changes: changes
            )
            state.steps.append(step)
            state.byteCount += step.byteCount
            while state.steps.count > max(1, configuration.historyLimit)
                || (state.byteCount > configuration.byteLimit && state.steps.count > 1)
            {
                state.retireFirst(limit: Self.propertyLimit)
            }
        }
    }

    private func shown(_ value: String?, of property: String) -> String? {
        value.flatMap { configuration.redaction.property(name, property, $0)?.shortened(to: configuration.textLimit) }
    }
}

extension StationHistory.State {
    /// Takes the first step into the base.
    fileprivate mutating func retireFirst(limit: Int) {
        let step = steps.removeFirst()
        byteCount -= step.byteCount
        for change in step.changes {
            let index = base.firstIndex { $0.name == change.property }
            switch (index, change.isGone) {
            case (let index?, true): base.remove(at: index)
            case (let index?, false): base[index].value = change.new
            case (nil, false) where base.count < limit:
                base.append(StationHistory.Property(name: change.property, value: change.new))
            default: break
            }
        }
    }
}
