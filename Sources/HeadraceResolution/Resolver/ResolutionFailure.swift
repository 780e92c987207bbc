// SPDX-License-Identifier: Apache-2.0

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
