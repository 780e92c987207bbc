// SPDX-License-Identifier: Apache-2.0

/// The identity of a shared object that doesn't exist yet: its binding, and its scope unless it is a singleton.
struct CreationKey: Equatable {
    private let binding: ObjectIdentifier
    private let scope: ObjectIdentifier?
    let contract: Any.Type

    init(binding: ResolutionPath.Element, scope: AnyObject?) {
        self.binding = ObjectIdentifier(binding)
        self.scope = scope.map { ObjectIdentifier($0) }
        contract = binding.contract
    }

    static func == (one: CreationKey, other: CreationKey) -> Bool {
        one.binding == other.binding && one.scope == other.scope
    }
}
