// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// One mistake in the registrations, with the path that leads to it.
public struct CompositionProblem: Sendable, CustomStringConvertible {
    /// A kind of mistake, stable enough to branch on.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// The name of the kind: bounded, fit for a metric label.
        public let description: String

        /// Creates a kind.
        ///
        /// Each module has its own kinds.
        package init(_ name: StaticString) {
            description = "\(name)"
        }

        /// A dependency is not registered.
        public static let missing = Kind("missing")

        /// A type depends on itself.
        public static let cyclic = Kind("cyclic")

        /// A type is registered several times, but not as a set.
        public static let duplicate = Kind("duplicate")

        /// A shared object holds a scoped object, and so keeps an object of the outermost scope, or it holds a time-limited
        /// object after its time.
        public static let captive = Kind("captive")

        /// A registration can't be checked.
        ///
        /// Only ``ValidationLevel/strict`` reports it.
        public static let unproved = Kind("unproved")
    }

    /// The kind of mistake.
    public let kind: Kind

    /// The types that lead to the mistake.
    ///
    /// The path begins at a type that no other type needs, or at the first type of the cycle. It ends at the type with the
    /// mistake.
    public let path: [Any.Type]

    /// The mistake and how to fix it, in one sentence each.
    public let message: String

    /// The kind and the message.
    public var description: String { "\(kind): \(message)" }

    package init(_ kind: Kind, path: [Any.Type], message: String) {
        self.kind = kind
        self.path = path
        self.message = message
    }
}

/// The registrations have mistakes, so not every registered type can be created.
public struct CompositionError: CodedError {
    /// A reason, stable enough to branch on.
    public typealias Code = ErrorCode<CompositionError>

    /// The reason.
    public let code: Code

    /// The problems, at least one: missing, cyclic, duplicate, captive, then the problems that other modules found.
    public let problems: [CompositionProblem]

    /// The types whose registrations resolve types by hand, and so were not checked.
    public let opaque: [Any.Type]

    /// Every problem on a separate line, then the opaque types.
    public let message: String

    init(_ problems: [CompositionProblem], opaque: [Any.Type]) {
        code = .invalidRegistrations
        self.problems = problems
        self.opaque = opaque
        let count = problems.count == 1 ? "1 problem" : "\(problems.count) problems"
        var lines = ["The registrations have \(count)."]
        lines += problems.map { "- \($0)" }
        if !opaque.isEmpty {
            let names = opaque.map { TypeSpelling.full($0) }.joined(separator: ", ")
            lines.append("Opaque, and not checked: \(names).")
        }
        message = lines.joined(separator: "\n")
    }
}

extension ErrorCode<CompositionError> {
    /// Some registered types can't be created.
    public static var invalidRegistrations: Self { Self() }
}

/// The strictness of ``ContainerBuilder/validate(_:)``.
public struct ValidationLevel: Hashable, Sendable {
    private enum Kind { case standard, strict }

    private let kind: Kind

    /// All stated dependencies must be right.
    ///
    /// Closures that resolve by hand are not checked.
    public static let standard = ValidationLevel(kind: .standard)

    /// All dependencies must be stated, so that they can be checked.
    ///
    /// In addition to the problems of ``standard``, this level reports:
    /// - closures that take their scope, types that don't state their dependencies, and static event handlers;
    /// - durable events that are declared and have no handler in this program, and events that are handled and not declared;
    /// - commands that can be scheduled and that no relay carries out;
    /// - commands that aren't `Encodable`, though a middleware keeps idempotency keys.
    public static let strict = ValidationLevel(kind: .strict)
}

extension CompositionProblem {
    /// Nothing is registered for `type`, which the last element of `names` needs.
    static func missing(_ type: Any.Type, path: [Any.Type], neededBy names: [String]) -> CompositionProblem {
        CompositionProblem(
            .missing,
            path: path + [type],
            message: """
                Nothing is registered for '\(TypeSpelling.full(type))', needed by \(TypeSpelling.path(names)). \
                To fix, add \(TypeSpelling.lineToAdd(for: type)), '.scoped' or '.singleton', or make the dependency optional if it may be missing.
                """
        )
    }

    /// Each type of `circle` needs the next one.
    ///
    /// The last one is the first one again.
    static func cyclic(_ circle: [Any.Type]) -> CompositionProblem {
        CompositionProblem(.cyclic, path: circle, message: ResolutionFailure.cycle(circle).message)
    }

    /// `type` is registered several times, with `lifetimes`.
    static func duplicate(_ type: Any.Type, _ lifetimes: [String]) -> CompositionProblem {
        CompositionProblem(
            .duplicate,
            path: [type],
            message: """
                '\(TypeSpelling.full(type))' is registered \(lifetimes.count) times \
                (\(lifetimes.joined(separator: ", "))), and the last one wins. \
                To fix, remove all but one, or register them as a set: \
                'builder.members.transient(\(TypeSpelling.expression(of: type))) { … }' for each.
                """
        )
    }

    /// The dependencies of `contract`, which is created as `made`, can't be checked.
    ///
    /// `advice` replaces the usual fix.
    static func unproved(_ contract: Any.Type, madeAs made: Any.Type, advice: String?) -> CompositionProblem {
        let line = TypeSpelling.expression(of: contract)
        let fix: String
        if let advice {
            fix = advice
        } else if made is any Resolvable.Type {
            fix = """
                '\(TypeSpelling.full(made))' doesn't state its dependencies. To fix, add '@Resolvable', or state them in \
                'static var dependencies'.
                """
        } else {
            fix = """
                Its factory is a closure that takes its scope. To fix, register an initializer, as in \
                'builder.transient(\(TypeSpelling.full(made)).init)', or state the dependencies, as in \
                'builder.transient(\(line), closure(needs: …) { scope in … })'.
                """
        }
        return CompositionProblem(
            .unproved,
            path: [contract],
            message: "Nothing proves that '\(TypeSpelling.full(contract))' can be made. \(fix)"
        )
    }

    /// The first type of `path` is shared, and holds the last one, which is scoped.
    ///
    /// `lifetime` is the lifetime of the first; `nil` if it is a singleton.
    static func captive(_ path: [Any.Type], heldBy lifetime: String?) -> CompositionProblem {
        let holder = path.first.map { TypeSpelling.expression(of: $0) } ?? ""
        let scoped = path.last.map { TypeSpelling.expression(of: $0) } ?? ""
        let arrows = TypeSpelling.path(path)
        var message = """
            A singleton keeps a scoped object, which belongs to the outermost scope, forever: \(arrows). \
            To fix, register the first with 'builder.scoped(\(holder)) { … }', \
            or the last with 'builder.singleton(\(scoped)) { … }'.
            """
        if let lifetime {
            message = """
                An object that all scopes share (\(lifetime)) keeps a scoped object, which belongs to the outermost scope: \
                \(arrows). To fix, register the last with 'builder.singleton(\(scoped)) { … }', \
                or pass it as an argument where it is used.
                """
        }
        return CompositionProblem(.captive, path: path, message: message)
    }

    /// The first type of `path` is shared, and holds the last one, which is time-limited.
    static func heldBeyondItsTime(_ path: [Any.Type]) -> CompositionProblem {
        let held = path.last.map { TypeSpelling.expression(of: $0) } ?? ""
        return CompositionProblem(
            .captive,
            path: path,
            message: """
                A shared object keeps a time-limited object after its time: \(TypeSpelling.path(path)). \
                To fix, register 'builder.factory(of: \(held))', and let the first depend on the factory.
                """
        )
    }
}
