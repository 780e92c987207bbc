// SPDX-License-Identifier: Apache-2.0

extension Container {
    /// Returns a container that shares the existing objects of this container, except for those that may hold a `type`.
    ///
    /// It is the foundation of `Container.resetting(_:)` of `HeadraceTesting`.
    package func resetting(_ type: Any.Type) -> Container {
        let copy = Container(registrations, keeping: self)
        let settled = registrations.settled
        let before = root.blueprint.all
        let after = copy.root.blueprint.all
        // An object that resolves types by hand, or that creates parts in its scope, may hold any object.
        var isReset = settled.indices.map { index in
            settled[index].contract == type || settled[index].implementation == type
                || !settled[index].dependencies.isComplete || !settled[index].parts.isEmpty
        }
        let positions = Dictionary(
            before.enumerated().map { (ObjectIdentifier($1), $0) },
            uniquingKeysWith: { first, _ in first }
        )
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            for (index, binding) in before.enumerated() where !isReset[index] {
                let targets = binding.description.dependencies.stated.flatMap { root.blueprint.targets(of: $0) ?? [] }
                guard targets.contains(where: { positions[ObjectIdentifier($0)].map { isReset[$0] } ?? true }) else {
                    continue
                }
                isReset[index] = true
                hasChanged = true
            }
        }
        // Another task may create objects at the same time. An object that was adopted has what it needs, so a further round
        // finds that.
        var mustRepeat = true
        while mustRepeat {
            mustRepeat = false
            for index in before.indices where !isReset[index] && after[index].adopt(before[index]) { mustRepeat = true }
        }
        return copy
    }
}
