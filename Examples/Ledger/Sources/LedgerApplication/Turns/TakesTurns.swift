//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace

/// A command that says beforehand what it changes, so that those that change the same can take turns.
public protocol TakesTurns: Sendable {
    /// Names for the things that it changes.
    var turns: Set<String> { get }
}

/// Has commands that change the same wait for one another, instead of being turned away by the store.
///
/// Two units of work that change one account at the same time conflict: the store takes the first, and the other one has
/// worked for nothing. Where many post to few accounts, nearly all would. With turns each begins on what the one before it
/// has left; on a ``PipelinedStore`` as soon as that is on its way to the disk, so that they still share the wait for it.
public struct TurnsMiddleware: Middleware {
    private let turns = Turns()

    /// Creates middleware; commands wait for those that go through the same one.
    ///
    /// A retry belongs before it.
    public init() {}

    /// Handles `message`; one that takes turns when they have come.
    ///
    /// - Throws: `CancellationError`; what `next` throws; `StoreError` with the code `versionConflict` where `next` has
    ///   thrown something because of changes that were not stored in the end.
    public nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        guard Turn.current == nil, let command = message as? any TakesTurns else { return try await next(message) }
        return try await turns.take(command.turns) {
            do {
                return try await next(message)
            } catch {
                // What was refused because of something that never came to be was not refused.
                if await Turn.current?.holds() == false { throw Self.builtOnSand }
                throw error
            }
        }
    }

    private static var builtOnSand: StoreError {
        StoreError(
            code: .versionConflict,
            message: "What the command has read was not stored in the end. Nothing was stored. To fix, send it again."
        )
    }
}
