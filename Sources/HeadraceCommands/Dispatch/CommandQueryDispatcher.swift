//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Dispatches each command and each query to its handler.
///
/// Register the standard dispatcher with ``CommandQueryDispatchRegistration`` and resolve it, or register your own type:
///
/// ```swift
/// let dispatcher: any CommandQueryDispatcher = container.resolve()
/// try await dispatcher.dispatch(AddSomethingCommand(name: "one"))
/// let info = try await dispatcher.dispatch(GetInfoQuery(subject: "Programming"))
/// ```
public protocol CommandQueryDispatcher: Sendable {
    /// Dispatches `command` to its handler, and returns after the handler has returned.
    nonisolated(nonsending) func dispatch<T>(_ command: T) async throws where T: CQDCommand

    /// Dispatches `query` to its handler, and returns the value that the handler returns.
    nonisolated(nonsending) func dispatch<T>(_ query: T) async throws -> T.Value where T: CQDQuery

    /// Dispatches `query` to its handler, and returns the stream that the handler returns.
    ///
    /// The default implementation throws ``DispatchError`` with the code ``DispatchError/Code/noHandler``.
    nonisolated(nonsending) func dispatch<T>(_ query: T) async throws -> QueryStream<T.Element>
    where T: CQDStreamQuery
}

extension CommandQueryDispatcher {
    /// Throws an error, because the dispatcher doesn't support stream queries.
    ///
    /// - Throws: ``DispatchError`` with the code ``DispatchError/Code/noHandler``.
    public nonisolated(nonsending) func dispatch<T>(_ query: T) async throws -> QueryStream<T.Element>
    where T: CQDStreamQuery {
        throw DispatchError.noStreams(for: T.self, of: Self.self)
    }
}
