// SPDX-License-Identifier: Apache-2.0

/// The lock that a unit of work requests when it finds an entity.
public struct EntityLock: Hashable, Sendable {
    private enum Kind { case update }

    private let kind: Kind

    /// The unit of work is going to change the entity: other units of work that lock it wait.
    public static let update = EntityLock(kind: .update)
}
