// SPDX-License-Identifier: Apache-2.0

/// A minimal hand-written registry of objects by their type.
public final class HandWrittenRegistry: Sendable {
    private let objects: [ObjectIdentifier: any AnyObject & Sendable]

    /// Creates a registry of these objects.
    public init(_ objects: [ObjectIdentifier: any AnyObject & Sendable]) {
        self.objects = objects
    }

    /// Returns the object of a type.
    @inline(never)
    public func find(_ type: Any.Type) -> AnyObject? {
        objects[ObjectIdentifier(type)]
    }
}

/// A minimal hand-written dispatcher with handlers by message type.
public final class HandWrittenDispatcher<Message: Sendable, Value>: Sendable {
    private let handlers: [ObjectIdentifier: @Sendable (Message) async throws -> Value]

    /// Creates a dispatcher of these handlers.
    public init(_ handlers: [ObjectIdentifier: @Sendable (Message) async throws -> Value]) {
        self.handlers = handlers
    }

    /// Calls the handler of the message.
    @inlinable
    public func dispatch(_ message: Message) async throws -> Value {
        guard let handler = handler(of: Message.self) else { fatalError("no handler") }
        return try await handler(message)
    }

    /// Returns the handler of a message type.
    @inline(never)
    @_specialize(where Message == Add, Value == Void)
    @_specialize(where Message == Double, Value == Int)
    @usableFromInline
    func handler(of type: Any.Type) -> (@Sendable (Message) async throws -> Value)? {
        handlers[ObjectIdentifier(type)]
    }
}
