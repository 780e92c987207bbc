//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

extension Service {
    /// Does something before the services under it are given an action, whichever it is.
    ///
    /// Where it throws, they are not given the action, and what it throws counts as their error.
    public func pre(
        _ handler: nonisolated(nonsending) @escaping @Sendable (any Action) async throws -> Void
    ) -> ModifiedService<Self> {
        hooked(.pre) { WildcardHook(at: $0) { action, _ in try await handler(action) } }
    }

    /// As ``pre(_:)``, for the actions of this type, exactly this one.
    public func pre<A: Action>(
        on type: A.Type,
        _ handler: nonisolated(nonsending) @escaping @Sendable (A) async throws -> Void
    ) -> ModifiedService<Self> {
        hooked(.pre) { TypedHook(at: $0) { (action: A, _) in try await handler(action) } }
    }

    /// Does something after the services under it have handled an action, whichever it is, also where they failed.
    ///
    /// What it throws is reported beside their error. It runs also when the sender was cancelled meanwhile.
    public func post(
        _ handler: nonisolated(nonsending) @escaping @Sendable (any Action) async throws -> Void
    ) -> ModifiedService<Self> {
        hooked(.post) { WildcardHook(at: $0) { action, _ in try await handler(action) } }
    }

    /// As `post(_:)`, and is told how they have ended.
    public func post(
        _ handler: nonisolated(nonsending) @escaping @Sendable (any Action, MessageOutcome) async throws -> Void
    ) -> ModifiedService<Self> {
        hooked(.post) { WildcardHook(at: $0) { action, outcome in try await handler(action, outcome) } }
    }

    /// As `post(_:)`, for the actions of this type, exactly this one.
    public func post<A: Action>(
        on type: A.Type,
        _ handler: nonisolated(nonsending) @escaping @Sendable (A) async throws -> Void
    ) -> ModifiedService<Self> {
        hooked(.post) { TypedHook(at: $0) { (action: A, _) in try await handler(action) } }
    }

    /// As `post(_:)`, for the actions of this type, exactly this one, and is told how they have ended.
    public func post<A: Action>(
        on type: A.Type,
        _ handler: nonisolated(nonsending) @escaping @Sendable (A, MessageOutcome) async throws -> Void
    ) -> ModifiedService<Self> {
        hooked(.post) { TypedHook(at: $0) { (action: A, outcome) in try await handler(action, outcome) } }
    }
}
