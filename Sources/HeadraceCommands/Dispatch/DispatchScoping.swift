// SPDX-License-Identifier: Apache-2.0

/// The scope in which the standard dispatcher makes its handlers.
public struct DispatchScoping: Sendable, Equatable {
    private enum Choice { case dispatcher, perDispatch }

    private let choice: Choice

    /// The scope from which the dispatcher was resolved.
    ///
    /// This is the default.
    ///
    /// All messages that are dispatched from one scope share its scoped objects. A program opens a scope for each unit
    /// (a request, a window, a job), and a handler that dispatches further messages belongs to the same unit: it finds
    /// the same unit of work and the same user. It also costs nothing, because no scope is opened.
    public static let dispatcher = DispatchScoping(choice: .dispatcher)

    /// A new scope for each dispatch.
    ///
    /// The scope ends with the dispatch or, for a stream query, with the stream.
    ///
    /// All attempts of one dispatch share the scoped objects, for example if middleware retries the message. A message that
    /// a handler dispatches gets a new scope again, so it shares no scoped objects with that handler.
    public static let perDispatch = DispatchScoping(choice: .perDispatch)
}
