// SPDX-License-Identifier: Apache-2.0

public import HeadraceDomain

/// A context of a program that keeps nothing.
public final class Nothing: DomainContext {
    /// Creates a context.
    public init() {}

    /// Returns no events.
    public func takeEvents() -> [CollectedEvent] { [] }

    /// Stores nothing.
    public nonisolated(nonsending) func commit(_ events: [CollectedEvent]) async throws {}

    /// Does nothing.
    public func rollback() {}
}
