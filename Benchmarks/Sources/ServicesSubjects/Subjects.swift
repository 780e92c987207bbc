//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore
public import HeadraceServices
import Measuring

/// An action that costs next to nothing.
public struct Count: Action {
    /// What is counted.
    public let number: Int

    /// Creates an action.
    public init(_ number: Int) {
        self.number = number
    }
}

/// An action that few services want; there are as many types of them as one likes.
public struct Other<Tag>: Action {
    /// Creates an action.
    public init() {}
}

/// A model whose changes cost next to nothing.
public final class Tally: Sendable {
    /// Creates a model.
    public init() {}

    /// Takes the number.
    @inline(never)
    public func take(_ number: Int) async throws {
        consume(number)
    }
}

/// A service that takes numbers.
public struct TallyService: Service {
    let tally: Tally

    /// Creates a service.
    public init(_ tally: Tally) {
        self.tally = tally
    }

    /// A store.
    public var body: some Service {
        Store(model: Tally.self)
            .mutate(on: Count.self) { tally, action, _ in try await tally.take(action.number) }
            .with(model: tally)
    }
}

/// A service that takes numbers as a value.
public struct ValueService: Service {
    /// Creates a service.
    public init() {}

    /// A store.
    public var body: some Service {
        Store(model: Int.self)
            .mutate(on: Count.self) { model, action, _ in model &+= action.number }
            .with(model: 0)
    }
}

/// A service that does not care.
public struct OtherService<Tag>: Service {
    /// Creates a service.
    public init() {}

    /// A store.
    public var body: some Service {
        Store(model: Int.self)
            .mutate(on: Other<Tag>.self) { model, _, _ in model &+= 1 }
            .with(model: 0)
    }
}
