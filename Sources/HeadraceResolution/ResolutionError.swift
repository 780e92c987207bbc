// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// The reason why a type can't be resolved.
///
/// ``DependencyResolver/require(_:)`` throws it. ``DependencyResolver/resolve(_:)`` stops the program with the same
/// message. Branch on ``code``, log ``message``. Later releases may add codes.
public struct ResolutionError: CodedError {
    /// A reason, stable enough to branch on.
    public typealias Code = ErrorCode<ResolutionError>

    /// The reason.
    public let code: Code

    /// The mistake and the line that fixes it.
    public let message: String

    /// The message.
    public var description: String { message }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension ErrorCode<ResolutionError> {
    /// The type, or a dependency of it, is not registered.
    public static var missing: Self { Self() }

    /// The type, or a dependency of it, depends on itself.
    public static var cyclic: Self { Self() }

    /// The type, or a dependency of it, is made on the main actor and was resolved elsewhere.
    public static var notOnMainActor: Self { Self() }

    /// The type, or a dependency of it, is created by `Container.bootstrap(clock:progress:)`, which hasn't created it.
    public static var notBootstrapped: Self { Self() }

    /// The container of the scope no longer exists.
    public static var containerReleased: Self { Self() }
}

/// A mistake in the program that was found while resolving a type, with the path and the fix.
struct ResolutionFailure {
    let code: ResolutionError.Code
    let message: String

    /// The failure as `require(_:)` throws it.
    var error: ResolutionError { ResolutionError(code, message) }

    /// Nothing is registered for `type`, which the last object of `path` needs.
    static func missing(_ type: Any.Type, neededBy path: [String]) -> ResolutionFailure {
        let needer = path.isEmpty ? "" : ", needed by \(TypeSpelling.path(path))"
        return ResolutionFailure(
            code: .missing,
            message: """
                Nothing is registered for '\(TypeSpelling.full(type))'\(needer). \
                To fix, add \(TypeSpelling.lineToAdd(for: type)), '.scoped' or '.singleton' before 'build()', \
                or use 'tryResolve()' if it may be missing.
                """
        )
    }

    /// Each of `contracts` needs the next one.
    ///
    /// The last one is the first one again.
    static func cycle(_ contracts: [Any.Type]) -> ResolutionFailure {
        ResolutionFailure(
            code: .cyclic,
            message: """
                '\(contracts.first.map { TypeSpelling.full($0) } ?? "")' depends on itself: \(TypeSpelling.path(contracts)). \
                To fix, let one of them resolve its dependency later, by a closure or from the scope at the time of use.
                """
        )
    }

    /// An object kept the scope of its container after the last reference to the container was gone.
    static var released: ResolutionFailure {
        ResolutionFailure(
            code: .containerReleased,
            message: """
                The container of this scope is gone: an object of the container kept the scope, but the last \
                reference to the container was released. To fix, keep the container, or a scope that it opened, as \
                long as its objects are used.
                """
        )
    }

    /// `type` is created on the main actor, and the last object of `path` resolves it elsewhere.
    static func notOnMainActor(_ type: Any.Type, neededBy path: [String]) -> ResolutionFailure {
        let needer = path.isEmpty ? "" : ", for \(TypeSpelling.path(path))"
        return ResolutionFailure(
            code: .notOnMainActor,
            message: """
                '\(TypeSpelling.full(type))' belongs to the main actor, and was resolved elsewhere\(needer). \
                To fix, resolve it, and the objects that need it, on the main actor: call 'await MainActor.run { … }', \
                or mark the caller '@MainActor'.
                """
        )
    }

    /// `type` is created at the start of the program, and the last object of `path` resolves it before that.
    static func notBootstrapped(_ type: Any.Type, neededBy path: [String]) -> ResolutionFailure {
        let needer = path.isEmpty ? "" : ", needed by \(TypeSpelling.path(path))"
        return ResolutionFailure(
            code: .notBootstrapped,
            message: """
                '\(TypeSpelling.full(type))'\(needer), was resolved before it was created. To fix, call \
                'try await container.bootstrap()' at the start, before the first resolution that needs it. If \
                an object of 'bootstrapped' resolves it in a closure, state it as a parameter.
                """
        )
    }

    /// No container is current.
    static var noContainer: ResolutionFailure {
        ResolutionFailure(
            code: .containerReleased,
            message: """
                No container is current, and none is installed. To fix, add 'container.install()' at the start of \
                the application, or wrap the test in 'container.withCurrent { … }'.
                """
        )
    }

    /// Stops the program with the message.
    func stop() -> Never {
        fatalError(message)
    }
}

/// Spells types for messages, source text, and graphs.
enum TypeSpelling {
    /// The name with its module, without the addresses that Swift prints for private types.
    static func full(_ type: Any.Type) -> String {
        (type as? any FactoryDependency.Type).map { factory($0, full) } ?? String(naming: type)
    }

    /// The name as short as Swift prints it.
    static func short(_ type: Any.Type) -> String {
        (type as? any FactoryDependency.Type).map { factory($0, short) }
            ?? String(describing: type).withoutTypeAddresses
    }

    /// A factory as it is written in source text: `Factory<Report, String>`.
    private static func factory(_ factory: any FactoryDependency.Type, _ spell: (Any.Type) -> String) -> String {
        "Factory<\(([factory.product] + factory.arguments).map { spell($0) }.joined(separator: ", "))>"
    }

    /// The full names with an arrow from each to the next.
    static func path(_ types: [Any.Type]) -> String {
        path(types.map { full($0) })
    }

    /// `names` with an arrow from each to the next.
    static func path(_ names: [String]) -> String {
        names.joined(separator: " → ")
    }

    /// The type as an argument in source text: `Module.Mailer.self`, `(any Module.Mailer).self`.
    static func expression(of type: Any.Type) -> String {
        // The metatype of an existential is the only one that Swift prints with the suffix ".Protocol".
        let metatype = String(naming: Swift.type(of: type))
        return metatype.hasSuffix(".Protocol")
            ? "(any \(full(type))).self"
            : "\(metatype.dropLast(".Type".count)).self"
    }

    /// The full name of `contract`, with the implementation and the position in its set, if it has them.
    static func name(of contract: Any.Type, madeAs implementation: Any.Type?, member: Int?) -> String {
        var remarks = implementation.map { [full($0)] } ?? []
        if let member { remarks.append("number \(member) of its set") }
        return remarks.isEmpty ? full(contract) : "\(full(contract)) (\(remarks.joined(separator: ", ")))"
    }

    /// The line that registers `type`: the type alone if it is `Resolvable`, a set if it is an array.
    static func lineToAdd(for type: Any.Type) -> String {
        if type is any Resolvable.Type {
            return "'builder.transient(\(expression(of: type)))'"
        }
        if let set = type as? any SetDependency.Type {
            return "'builder.members.transient(\(expression(of: set.element))) { … }'"
        }
        if let factory = type as? any FactoryDependency.Type {
            let arguments = factory.arguments.map { expression(of: $0) }.joined(separator: ", ")
            let taking = arguments.isEmpty ? "" : ", taking: \(arguments)"
            return "'builder.factory(of: \(expression(of: factory.product))\(taking)) { … }'"
        }
        return "'builder.transient(\(expression(of: type))) { … }'"
    }
}
