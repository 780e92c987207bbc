//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// How long an object that a resolver has made is given again.
public struct Lifetime: Hashable, Sendable, CustomStringConvertible {
    enum Kind: String {
        case transient, scoped, singleton
    }

    let kind: Kind

    /// A new object each time.
    public static let transient = Lifetime(kind: .transient)

    /// One object in each scope; the container itself is the outermost one.
    public static let scoped = Lifetime(kind: .scoped)

    /// One object in the container, made in its outermost scope whoever asks first.
    public static let singleton = Lifetime(kind: .singleton)

    /// The word for the lifetime, as the registration forms spell it.
    public var description: String { kind.rawValue }
}
