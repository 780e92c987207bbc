// SPDX-License-Identifier: Apache-2.0

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
