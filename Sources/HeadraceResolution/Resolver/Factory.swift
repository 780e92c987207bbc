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
