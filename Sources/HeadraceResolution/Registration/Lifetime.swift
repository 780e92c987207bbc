// SPDX-License-Identifier: Apache-2.0

/// How long a resolver keeps an object and returns it again.
public struct Lifetime: Hashable, Sendable, CustomStringConvertible {
    /// A lifetime, named as the registration forms spell it.
    enum Kind: String { case transient, scoped, singleton, weak, timeLimited }

    /// The lifetime as a case.
    let kind: Kind

    private init(kind: Kind) {
        self.kind = kind
    }

    /// A new object each time.
    public static let transient = Lifetime(kind: .transient)

    /// One object in each scope.
    ///
    /// The container is the outermost scope.
    public static let scoped = Lifetime(kind: .scoped)

    /// One object in the container, created in the outermost scope even if another scope asks first.
    public static let singleton = Lifetime(kind: .singleton)

    /// One object in the container, as long as another object keeps it; then another object.
    public static let weak = Lifetime(kind: .weak)

    /// One object in the container for a limited time, then another object.
    public static let timeLimited = Lifetime(kind: .timeLimited)

    /// Whether all scopes of a container share an object.
    package var isContainerWide: Bool { self == .singleton || self == .weak || self == .timeLimited }

    /// The name of the lifetime, as the registration forms spell it.
    public var description: String { kind.rawValue }
}
