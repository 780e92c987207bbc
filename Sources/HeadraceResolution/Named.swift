// SPDX-License-Identifier: Apache-2.0

/// A name that distinguishes registrations of one type.
///
/// A name is a type, so a misspelled name is a compile-time error:
///
/// ```swift
/// enum Replica: DependencyName {}
/// ```
public protocol DependencyName: SendableMetatype {}

/// An object of a registration with a name.
///
/// ```swift
/// builder.singleton { Named<Replica, any Database>(PostgresDatabase(host: "replica")) }
///
/// let replica = container.resolve((any Database).self, named: Replica.self)
/// ```
///
/// It is the type under which the container knows the registration. So an object states a dependency with a name as a
/// property or a parameter of this type, which `@Resolvable`, initializers, graphs, and `validate()` understand:
///
/// ```swift
/// struct Statistics {
///     let database: Named<Replica, any Database>
/// }
/// ```
///
/// A registration without a name doesn't answer for one with a name, and the reverse.
public struct Named<Name: DependencyName, Value> {
    /// The object.
    public let value: Value

    /// Gives `value` the name, for example in a test of an object that needs it.
    public init(_ value: Value) {
        self.value = value
    }
}

extension Named: Sendable where Value: Sendable {}

extension DependencyResolver {
    /// Returns the object that is registered for `type` with `name`.
    ///
    /// - Precondition: As for ``resolve(_:)``.
    public func resolve<Value, Name: DependencyName>(_ type: Value.Type = Value.self, named name: Name.Type) -> Value {
        resolve(Named<Name, Value>.self).value
    }

    /// Returns the object that is registered for `type` with `name`, or `nil` if nothing is registered.
    public func tryResolve<Value, Name: DependencyName>(
        _ type: Value.Type = Value.self,
        named name: Name.Type
    ) -> Value? {
        tryResolve(Named<Name, Value>.self)?.value
    }

    /// Returns the object that is registered for `type` with `name`, or throws the reason why it can't be resolved.
    ///
    /// - Throws: As ``require(_:)``.
    public func require<Value, Name: DependencyName>(
        _ type: Value.Type = Value.self,
        named name: Name.Type
    ) throws(ResolutionError) -> Value {
        try require(Named<Name, Value>.self).value
    }
}
