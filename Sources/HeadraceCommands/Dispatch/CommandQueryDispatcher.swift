//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Brings each command and each query to its handler.
///
/// Resolve one from a container that ``CommandQueryDispatchRegistration`` has set up, or write your own and register it as you like:
///
/// ```swift
/// let dispatcher: any CommandQueryDispatcher = container.resolve()
/// try await dispatcher.dispatch(AddSomethingCommand(name: "one"))
/// let info = try await dispatcher.dispatch(GetInfoQuery(subject: "Programming"))
/// ```
public protocol CommandQueryDispatcher: Sendable {
    /// Has `command` carried out and returns when it is.
    nonisolated(nonsending) func dispatch<T>(_ command: T) async throws where T: CQDCommand

    /// Has `query` answered and returns the answer.
    nonisolated(nonsending) func dispatch<T>(_ query: T) async throws -> T.Value where T: CQDQuery

    /// Has the answering of `query` begun and returns the stream of its values.
    ///
    /// Without an implementation of its own, a dispatcher throws ``DispatchError`` with the code
    /// ``DispatchError/Code/noHandler``.
    nonisolated(nonsending) func dispatch<T>(_ query: T) async throws -> QueryStream<T.Element>
    where T: CQDStreamQuery
}

extension CommandQueryDispatcher {
    /// Throws, since the dispatcher has no stream queries.
    ///
    /// - Throws: ``DispatchError`` with the code ``DispatchError/Code/noHandler``.
    public nonisolated(nonsending) func dispatch<T>(_ query: T) async throws -> QueryStream<T.Element>
    where T: CQDStreamQuery {
        throw DispatchError.noStreams(for: T.self, of: Self.self)
    }
}
