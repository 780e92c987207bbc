// SPDX-License-Identifier: Apache-2.0

public import HeadraceResolution

/// An object with one word of storage: the smallest useful object.
public final class Settings: Sendable {
    let word: Int

    /// Creates an object.
    @inline(never)
    public init() {
        word = 1
    }

    /// Creates an object of this word.
    @inline(never)
    public init(word: Int) {
        self.word = word
    }
}

/// The middle object of a graph of three.
public final class Store: Sendable {
    let settings: Settings

    /// Creates a store.
    @inline(never)
    public init(settings: Settings) {
        self.settings = settings
    }
}

/// The topmost object of a graph of three.
public final class Screen: Resolvable {
    let store: Store

    /// Creates a screen by hand.
    @inline(never)
    public init(store: Store) {
        self.store = store
    }

    /// Creates a screen as a container does.
    @inline(never)
    public init(scope: any DependencyResolutionScope) {
        store = scope.resolve()
    }
}
