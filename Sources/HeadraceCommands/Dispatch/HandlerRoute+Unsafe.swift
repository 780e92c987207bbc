// SPDX-License-Identifier: Apache-2.0

import HeadraceResolution

/// A route to any type of handler, as an element of a table.
///
/// Why `@unchecked Sendable` is right here: Swift checks `Sendable` of final classes only. This class is internal, and its
/// only stored property is an immutable `Sendable` value. Its only subclass is final, and its stored properties are
/// immutable `Sendable` values, too.
class AnyHandlerRoute: @unchecked Sendable {
    /// The list that the handler was registered in.
    ///
    /// It determines the type `Handler` of the route for a message.
    let list: HandlerList

    fileprivate init(_ list: HandlerList) { self.list = list }
}

/// Makes the handler of messages of one type.
///
/// `Handler` is `any HandlesCommand<Message>`, `any HandlesQuery<Message>`, or `any HandlesStreamQuery<Message>`. A route
/// only makes the handler and doesn't call it, because each asynchronous function between the dispatcher and the handler
/// costs a frame.
final class HandlerRoute<Handler>: AnyHandlerRoute, @unchecked Sendable {
    private let proof = ProofMemory()
    private let make: @Sendable (any DependencyResolutionScope, borrowing ProofMemory) throws -> Handler

    init(
        _ list: HandlerList,
        make: @escaping @Sendable (any DependencyResolutionScope, borrowing ProofMemory) throws -> Handler
    ) {
        self.make = make
        super.init(list)
    }

    /// Makes a handler in `scope`.
    ///
    /// A missing dependency is a mistake in the composition; it fails the message and not the process. A proof that the
    /// dependencies exist holds as long as the container exists. A dispatcher must not outlive its container.
    ///
    /// - Throws: `ResolutionError` if a stated dependency of the handler is missing.
    @inline(__always)
    func makeHandler(in scope: any DependencyResolutionScope) throws -> Handler {
        try make(scope, proof)
    }
}
