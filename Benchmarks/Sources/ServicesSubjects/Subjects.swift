// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
public import HeadraceServices
import Measuring

/// An action that costs almost nothing.
public struct Count: Action {
    /// The number to add.
    public let number: Int

    /// Creates an action.
    public init(_ number: Int) {
        self.number = number
    }
}

/// An action that few services handle, with an unlimited number of types.
public struct Other<Tag>: Action {
    /// Creates an action.
    public init() {}
}

/// A model with changes that cost almost nothing.
public final class Tally: Sendable {
    /// Creates a model.
    public init() {}

    /// Adds the number.
    @inline(never)
    public func take(_ number: Int) async throws {
        consume(number)
    }
}

/// A service that receives numbers.
public struct TallyService: Service {
    let tally: Tally

    /// Creates a service.
    public init(_ tally: Tally) {
        self.tally = tally
    }

    /// The store of the service.
    public var body: some Service {
        Store(model: Tally.self)
            .mutate(on: Count.self) { tally, action, _ in try await tally.take(action.number) }
            .with(model: tally)
    }
}

/// A service that receives numbers, with a value as its model.
public struct ValueService: Service {
    /// Creates a service.
    public init() {}

    /// The store of the service.
    public var body: some Service {
        Store(model: Int.self)
            .mutate(on: Count.self) { model, action, _ in model &+= action.number }
            .with(model: 0)
    }
}

/// A service that ignores the action.
public struct OtherService<Tag>: Service {
    /// Creates a service.
    public init() {}

    /// The store of the service.
    public var body: some Service {
        Store(model: Int.self)
            .mutate(on: Other<Tag>.self) { model, _, _ in model &+= 1 }
            .with(model: 0)
    }
}

/// Services that handle different action types.
public enum NumberedServices {
    /// Returns `count` services, at most 10,000.
    @MainActor
    public static func make(_ count: Int) -> [any Service] {
        NumberedTypes.make(count).map { service(for: $0) }
    }

    private static func service<Tag>(for tag: Tag.Type) -> any Service { OtherService<Tag>() }
}
