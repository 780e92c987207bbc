// SPDX-License-Identifier: Apache-2.0

/// Creates objects of a type from arguments that are known only at the time of use.
///
/// ```swift
/// builder.factory(of: Report.self, taking: String.self, dependencies: Dependencies().on((any Books).self)) {
///     Report(books: $0.resolve(), account: $1)
/// }
///
/// let makeReport = container.factory(of: Report.self, taking: String.self)
/// let report = makeReport("Cash")
/// ```
///
/// An object that needs a factory has a property or a parameter of its type: `let makeReport: Factory<Report, String>`. Its
/// dependencies are resolved from the scope that the factory was resolved from. A singleton may keep a factory. That
/// doesn't keep the container alive.
public struct Factory<Product, each Argument>: Sendable {
    private let make: @Sendable (repeat each Argument) -> Product

    /// Creates a factory, for example in a test of an object that needs one.
    public init(_ make: @escaping @Sendable (repeat each Argument) -> Product) {
        self.make = make
    }

    /// Returns a new object.
    public func callAsFunction(_ argument: repeat each Argument) -> Product {
        make(repeat each argument)
    }
}

extension DependencyResolver {
    /// Returns the factory of `product` with arguments of these types.
    ///
    /// - Precondition: The factory is registered, with `factory(of:taking:dependencies:_:)` or `factory(of:)`.
    public func factory<Product, each Argument>(
        of product: Product.Type,
        taking arguments: repeat (each Argument).Type
    ) -> Factory<Product, repeat each Argument> {
        resolve(Factory<Product, repeat each Argument>.self)
    }
}

/// A ``Factory`` of any types.
protocol FactoryDependency {
    static var product: Any.Type { get }
    static var arguments: [Any.Type] { get }
}

extension Factory: FactoryDependency {
    static var product: Any.Type { Product.self }

    static var arguments: [Any.Type] {
        var arguments: [Any.Type] = []
        repeat arguments.append((each Argument).self)
        return arguments
    }
}

extension DependencyRegistry {
    /// Registers a ``Factory`` of `product`, which creates objects from arguments.
    ///
    /// ```swift
    /// builder.factory(of: Report.self, taking: String.self, dependencies: Dependencies().on((any Books).self)) {
    ///     Report(books: $0.resolve(), account: $1)
    /// }
    /// ```
    ///
    /// The dependencies are resolved when an object is created, so `product` may depend on an object that keeps the factory.
    /// If `dependencies` is unknown, `validate(.strict)` reports the factory.
    ///
    /// - Parameters:
    ///   - product: The type of the objects.
    ///   - arguments: The types of the arguments.
    ///   - dependencies: The types that `make` resolves.
    ///   - make: Creates an object from the scope of the factory and the arguments.
    public func factory<Product, each Argument>(
        of product: Product.Type,
        taking arguments: repeat (each Argument).Type,
        dependencies: Dependencies = .unknown,
        _ make: @escaping @Sendable (any DependencyResolutionScope, repeat each Argument) -> Product
    ) {
        var registration = Registration(
            .transient, Factory<Product, repeat each Argument>.self, Dependencies()
        ) { scope in
            Factory { (argument: repeat each Argument) in make(scope, repeat each argument) }
        }
        registration.parts = [.made(product, dependencies)]
        register(registration)
    }

    /// Registers a ``Factory`` that resolves `product` each time that it is called.
    ///
    /// Give it to an object that lives longer than the objects that it uses: to a singleton that needs the current object
    /// of a time-limited registration, or to two objects that need each other.
    public func factory<Product>(of product: Product.Type) {
        var registration = Registration(.transient, Factory<Product>.self, Dependencies()) { scope in
            Factory { scope.resolve(product) }
        }
        var part = RegistrationPart.made(product, Dependencies().on(product))
        part.label = "each use"
        part.remark = "resolved later"
        registration.parts = [part]
        register(registration)
    }
}

extension RegistrationPart {
    /// The objects that a factory creates, in its own scope.
    fileprivate static func made(_ product: Any.Type, _ dependencies: Dependencies) -> RegistrationPart {
        var part = RegistrationPart(product, dependencies)
        part.remark = "made by a factory"
        part.isInSameScope = true
        part.advice = """
            Its factory doesn't state the dependencies of its closure. To fix, pass them, as in \
            'dependencies: Dependencies().on(…)'.
            """
        return part
    }
}
