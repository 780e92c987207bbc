// SPDX-License-Identifier: Apache-2.0

import HeadraceResolution
import HeadraceTesting
import Testing

/// Registrations and containers for tests: unimplemented dependencies, and singletons that are reset.
@Suite struct TestRegistrationTests {
    // MARK: Unimplemented

    @Test func resolvingAnUnimplementedDependencyFailsTheTestAndGoesOn() {
        let builder = ContainerBuilder()
        builder.unimplemented(Limit.self, placeholder: Limit(count: 7))
        let container = builder.build()

        withKnownIssue {
            #expect(container.resolve(Limit.self).count == 7)
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("Limit' was resolved, and this test has no implementation") }
        }
    }

    @Test func anUnimplementedDependencyThatIsNotUsedPassesAndIsDrawn() throws {
        let builder = ContainerBuilder()
        builder.unimplemented(Limit.self, placeholder: Limit(count: 7))

        try builder.validate(.strict)

        #expect(builder.graph.mermaid.contains("Limit<br/>transient, unimplemented"))
    }

    // MARK: Reset

    private func container() -> Container {
        let builder = ContainerBuilder()
        builder.singleton { Leaf() }
        builder.singleton { Other() }
        builder.singleton { (leaf: Leaf) in Branch(leaf: leaf) }
        builder.transient((any Sendable).self) { (branch: Branch) in branch }
        builder.singleton { (held: any Sendable) in Tree(branch: held as? Branch) }
        builder.singleton { scope in Opaque(leaf: scope.resolve()) }
        return builder.build()
    }

    @Test func aResetTypeAndItsHoldersAreCreatedAgain() {
        let container = container()
        let leaf: Leaf = container.resolve()
        let tree: Tree = container.resolve()
        let opaque: Opaque = container.resolve()

        let fresh = container.resetting(Leaf.self)

        #expect(fresh.resolve(Leaf.self) !== leaf)
        #expect(fresh.resolve(Branch.self).leaf === fresh.resolve(Leaf.self))
        #expect(fresh.resolve(Tree.self) !== tree)
        #expect(fresh.resolve(Tree.self).branch === fresh.resolve(Branch.self))
        #expect(fresh.resolve(Opaque.self) !== opaque)
        #expect(container.resolve(Leaf.self) === leaf)
        #expect(container.resolve(Tree.self) === tree)
    }

    @Test func otherSingletonsAreShared() {
        let container = container()
        let other: Other = container.resolve()
        let leaf: Leaf = container.resolve()

        let fresh = container.resetting(Branch.self)

        #expect(fresh.resolve(Other.self) === other)
        #expect(fresh.resolve(Leaf.self) === leaf)
        #expect(fresh.resolve(Branch.self) !== container.resolve(Branch.self))
        #expect(fresh.resolve(Branch.self).leaf === leaf)
    }

    @Test func aSharedObjectKeepsTheContainerThatCreatedIt() {
        let builder = ContainerBuilder()
        builder.singleton { Leaf() }
        builder.singleton { Other() }
        builder.singleton(Keeper.self)
        var container: Container? = builder.build()
        let leaf = container?.resolve(Keeper.self).leaf

        let fresh = container?.resetting(Other.self)
        container = nil

        #expect(fresh?.resolve(Keeper.self).leaf === leaf)
    }

    @Test func aScopeOfAResetContainerKeepsTheContainersToo() {
        let builder = ContainerBuilder()
        builder.singleton { Leaf() }
        builder.singleton { Other() }
        builder.singleton(Keeper.self)
        var container: Container? = builder.build()
        let leaf = container?.resolve(Keeper.self).leaf

        let scope = container?.resetting(Other.self).scope()
        container = nil

        #expect(scope?.resolve(Keeper.self).leaf === leaf)
    }

    @Test func renewedObjectsAreSharedWithTheirHolders() {
        let clock = TestClock()
        let builder = ContainerBuilder()
        builder.weak { Leaf() }
        builder.singleton { (leaf: Leaf) in Branch(leaf: leaf) }
        builder.timeLimited(.seconds(1), clock: clock) { Other() }
        builder.singleton { Limit(count: 1) }
        let container = builder.build()
        let (branch, other): (Branch, Other) = (container.resolve(), container.resolve())

        let fresh = container.resetting(Limit.self)

        #expect(fresh.resolve(Branch.self) === branch)
        #expect(fresh.resolve(Leaf.self) === branch.leaf)
        #expect(fresh.resolve(Other.self) === other)
        clock.advance(by: .seconds(1))
        #expect(fresh.resolve(Other.self) !== other)
    }

    @Test func theImplementationOfATypeCanBeReset() {
        let builder = ContainerBuilder()
        builder.singleton((any Sendable).self, assigned(Store.self))
        let container = builder.build()
        let store = container.resolve((any Sendable).self) as? Store

        let fresh = container.resetting(Store.self)

        #expect(fresh.resolve((any Sendable).self) as? Store !== store)
    }

    /// An object that is created while another task copies the container may be shared only with all that it holds.
    @Test func aContainerThatIsCopiedDuringResolutionsStaysConsistent() async {
        for _ in 0..<300 {
            let container = container()
            let fresh = await withTaskGroup(of: Void.self) { group in
                group.addTask { _ = container.resolve(Branch.self) }
                return container.resetting(Other.self)
            }
            #expect(fresh.resolve(Branch.self).leaf === fresh.resolve(Leaf.self))
        }
    }
}

private struct Limit: Sendable {
    let count: Int
}

private final class Leaf: Sendable {}

private final class Other: Sendable {}

private final class Branch: Sendable {
    let leaf: Leaf

    init(leaf: Leaf) {
        self.leaf = leaf
    }
}

private final class Tree: Sendable {
    let branch: Branch?

    init(branch: Branch?) {
        self.branch = branch
    }
}

private final class Opaque: Sendable {
    let leaf: Leaf

    init(leaf: Leaf) {
        self.leaf = leaf
    }
}

private final class Store: Resolvable, Sendable {
    static var dependencies: Dependencies { Dependencies() }

    init(scope: any DependencyResolutionScope) {}
}

/// Keeps its scope, and states its dependencies.
private final class Keeper: Resolvable, Sendable {
    static var dependencies: Dependencies { Dependencies().on(Leaf.self) }

    private let scope: any DependencyResolutionScope

    var leaf: Leaf { scope.resolve() }

    init(scope: any DependencyResolutionScope) {
        self.scope = scope
    }
}
