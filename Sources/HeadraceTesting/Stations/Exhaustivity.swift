// SPDX-License-Identifier: Apache-2.0

/// The extent to which a test must assert the behavior of its station.
public struct Exhaustivity: Hashable, Sendable {
    enum Kind: Hashable, Sendable { case on, off }

    let kind: Kind

    /// The test must assert each change of the state, receive each action of an effect, and end each effect.
    public static let on = Exhaustivity(kind: .on)

    /// The test asserts only the named properties and actions.
    ///
    /// Other changes, actions, and running effects are ignored.
    public static let off = Exhaustivity(kind: .off)
}
