//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Dispatch

/// Gives what a main-actor factory makes, on the main actor only.
///
/// Why `@unchecked Sendable` is right here: as of ``Binding``; the one stored property is a binding.
final class MainActorBinding<T>: TypedBinding<T>, @unchecked Sendable {
    /// The binding that makes and keeps the object, in a box that any thread may hold.
    private let boxed: TypedBinding<MainActorBox<T>>

    init(_ boxed: TypedBinding<MainActorBox<T>>) {
        self.boxed = boxed
        super.init(boxed.place) { _ in preconditionFailure("The factory is that of the boxed binding.") }
    }

    override var isOnMainActor: Bool { true }

    override func instance(for scope: ResolutionScope, given: any DependencyResolutionScope) -> T {
        guard MainThread.isCurrent else { ResolutionFailure.notOnMainActor(T.self).stop() }
        return boxed.instance(for: scope, given: given).value
    }
}

/// An object that belongs to the main actor, in a box that may be passed around.
///
/// Why `@unchecked Sendable` is right here: the object is put in and taken out on the main actor only. `init` runs the
/// factory by `assumeIsolated`, which stops the program anywhere else, and the one reader, ``MainActorBinding``, has
/// checked before. The last reference to the box may end on any thread; no one else has the object then.
struct MainActorBox<T>: @unchecked Sendable {
    let value: T

    init(_ factory: @MainActor (any DependencyResolutionScope) -> T, _ scope: any DependencyResolutionScope) {
        // `assumeIsolated` returns what is `Sendable` only; the value stays on this thread.
        nonisolated(unsafe) var made: T?
        MainActor.assumeIsolated { unsafe made = factory(scope) }
        guard let made = unsafe made else { preconditionFailure("'assumeIsolated' has run its body.") }
        value = made
    }
}

/// Tells whether the current code is run by the main actor.
///
/// `MainActor.assumeIsolated` finds that out as well, and stops the program without a word of ours (Swift 6.3). The
/// queue of the main actor's executor carries a mark, and so do the frames that it runs.
enum MainThread {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool {
        DispatchQueue.getSpecific(key: key) ?? false
    }
}
