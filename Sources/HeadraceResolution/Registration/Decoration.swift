// SPDX-License-Identifier: Apache-2.0

/// A function that replaces each object of a registration with another object of the same contract.
struct Decoration<Contract>: Sendable {
    let apply: @Sendable (Contract, any DependencyResolutionScope) -> Contract
}

extension [any Sendable] {
    /// Returns `factory` with the decorations of `Contract` in this array, the first one innermost.
    func decorating<Contract>(
        _ factory: @escaping @Sendable (any DependencyResolutionScope) -> Contract
    ) -> @Sendable (any DependencyResolutionScope) -> Contract {
        if isEmpty { return factory }
        let decorations = compactMap { $0 as? Decoration<Contract> }
        return { scope in
            decorations.reduce(factory(scope)) { $1.apply($0, scope) }
        }
    }
}
