//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// Where effects are started: the station itself or one of its children, each with ids of its own.
@usableFromInline
final class Place {
    /// A beginning that waits until those before it under its id have ended.
    struct Waiter {
        let begin: () -> Void
        let drop: () -> Void
    }

    private weak let parent: Place?
    private let key: ChildKey?
    private(set) var children: [ChildKey: Place] = [:]
    private var groups: [EffectID: [EffectGroup]] = [:]
    private var lines: [EffectID: [Waiter]] = [:]

    /// When what is throttled has begun last.
    var beginnings: [EffectID: ContinuousClock.Instant] = [:]

    /// How many children each scope had lost when its children were last looked for.
    var removalCounts: [Int: Int] = [:]

    /// The effects here that are under way, but for the station itself, which ends all at once.
    private var runs: [ObjectIdentifier: EffectRun] = [:]

    init(parent: Place? = nil, key: ChildKey? = nil) {
        self.parent = parent
        self.key = key
    }

    private var isEmpty: Bool {
        children.isEmpty && groups.isEmpty && lines.isEmpty && runs.isEmpty && beginnings.isEmpty
    }

    func child(_ key: ChildKey) -> Place {
        if let child = children[key] { return child }
        let child = Place(parent: self, key: key)
        children[key] = child
        return child
    }

    func add(_ run: EffectRun) {
        if key != nil { runs[ObjectIdentifier(run)] = run }
    }

    func remove(_ run: EffectRun) {
        if key == nil { return }
        runs[ObjectIdentifier(run)] = nil
        leaveWhereEmpty()
    }

    func hasGroup(_ id: EffectID) -> Bool { groups[id] != nil }

    func add(_ group: EffectGroup) {
        groups[group.id, default: []].append(group)
    }

    /// Forgets `group`, which has ended, and begins what waits for it.
    func remove(_ group: EffectGroup) {
        guard var rest = groups[group.id] else { return leaveWhereEmpty() }
        rest.removeAll { $0 === group }
        groups[group.id] = rest.isEmpty ? nil : rest
        // One that was cancelled while it waited does not begin, and the turn is that of the next.
        while groups[group.id] == nil, var line = lines[group.id] {
            let next = line.removeFirst()
            lines[group.id] = line.isEmpty ? nil : line
            next.begin()
        }
        leaveWhereEmpty()
    }

    /// Lets `waiter` wait under `id`, unless `limit` do so already.
    func wait(_ waiter: Waiter, under id: EffectID, limit: Int) -> Bool {
        if lines[id]?.count ?? 0 >= limit { return false }
        lines[id, default: []].append(waiter)
        return true
    }

    /// Cancels what is under way and what waits under `id`.
    func cancel(_ id: EffectID) {
        let waiting = lines.removeValue(forKey: id) ?? []
        for group in groups.removeValue(forKey: id) ?? [] { group.cancel() }
        for waiter in waiting { waiter.drop() }
        leaveWhereEmpty()
    }

    /// Cancels all that is under way or waits here and in the children.
    func cancelAll() {
        for child in children.values { child.cancelAll() }
        for run in runs.values { run.cancel() }
        for id in Set(groups.keys).union(lines.keys) { cancel(id) }
        beginnings = [:]
        leaveWhereEmpty()
    }

    private func leaveWhereEmpty() {
        guard let key, let parent, isEmpty, parent.children[key] === self else { return }
        parent.children[key] = nil
        parent.leaveWhereEmpty()
    }
}

/// What was started under one id by one effect.
final class EffectGroup {
    let id: EffectID

    /// The one around it.
    private let outer: EffectGroup?

    private var isCancelledItself = false
    private var runs: [ObjectIdentifier: EffectRun] = [:]

    init(_ id: EffectID, within outer: EffectGroup?) {
        self.id = id
        self.outer = outer
    }

    var isCancelled: Bool { isCancelledItself || outer?.isCancelled ?? false }

    func add(_ run: EffectRun) {
        runs[ObjectIdentifier(run)] = run
        outer?.add(run)
    }

    func remove(_ run: EffectRun) {
        runs[ObjectIdentifier(run)] = nil
        outer?.remove(run)
    }

    func cancel() {
        isCancelledItself = true
        for run in runs.values { run.cancel() }
    }
}
