// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The keys that a serialized command holds, and the results of other commands that it has used before they are certain.
package final class HeldLocks: Sendable {
    /// A result of another command.
    package struct Dependency: Sendable {
        /// The result.
        package let value: any Sendable

        /// Whether the other command has succeeded, once that is certain.
        package let isCertain: OneShot<Bool>

        /// The error of the command that has used the result if the other command fails.
        package let failure: any Error

        /// The store that has the result.
        fileprivate let owner: ObjectIdentifier

        /// Creates a dependency on a result in the store `owner`.
        package init(on value: any Sendable, in owner: AnyObject, isCertain: OneShot<Bool>, failure: any Error) {
            self.value = value
            self.isCertain = isCertain
            self.failure = failure
            self.owner = ObjectIdentifier(owner)
        }
    }

    /// The keys of the command.
    ///
    /// A store releases them as soon as the order of commits is certain, before the commit is on the disk. Commands that the
    /// handler sends later acquire their own keys.
    package let keys: HeldKeys<String>

    private let dependencies = Mutex<[Dependency]>([])

    init(holding keys: HeldKeys<String>) {
        self.keys = keys
    }

    /// Records that the command has used a result before it is certain.
    package func add(_ dependency: Dependency) {
        dependencies.withLock { $0.append(dependency) }
    }

    /// Returns the results in the store `owner` that the command has used since its last commit there.
    package func values(in owner: AnyObject) -> [any Sendable] {
        let owner = ObjectIdentifier(owner)
        return dependencies.withLock { $0.filter { $0.owner == owner }.map(\.value) }
    }

    /// Removes the first `count` results in the store `owner`, after a commit has met them.
    package func removeFirst(_ count: Int, in owner: AnyObject) {
        let owner = ObjectIdentifier(owner)
        var rest = count
        dependencies.withLock { dependencies in
            dependencies.removeAll { dependency in
                guard rest > 0, dependency.owner == owner else { return false }
                rest -= 1
                return true
            }
        }
    }

    /// Returns when all results that the command has used are certain.
    ///
    /// - Throws: The failure of the first result that another command doesn't store; `CancellationError`.
    nonisolated(nonsending) func requireCertainty() async throws {
        for dependency in dependencies.withLock(\.self) where try await !dependency.isCertain.wait() {
            throw dependency.failure
        }
    }
}
