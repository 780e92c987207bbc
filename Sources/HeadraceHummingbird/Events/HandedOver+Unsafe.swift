// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
/// A value that one closure hands over to another, and doesn't use afterwards.
///
/// Safety: `value` has no actor, is stored nowhere else, and is used by one task at a time.
///
/// - The values of a stream query: the handler of a request dispatches the query, and returns before the server calls the closure
///   that writes the body. So creation happens before use. The server writes a body once, in one task, which passes
///   the value on to one child task and doesn't use it afterwards.
/// - The next handler of a request: middleware calls it at most once, in the task in which the middleware received it, while
///   the middleware waits.
struct HandedOver<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
#endif
