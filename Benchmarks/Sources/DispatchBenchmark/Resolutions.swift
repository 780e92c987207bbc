// SPDX-License-Identifier: Apache-2.0

import DispatchSubjects
import HeadraceResolution
import Measuring

/// Workloads of the container.
extension Workload {
    /// Resolves an existing singleton from the container.
    static let singletonHit = Workload("singleton-hit") {
        let container = makeContainer { $0.singleton { Settings() } }
        return { iterations in
            for _ in 0..<iterations { consume(container.resolve(Settings.self)) }
        }
    }

    /// Resolves an existing singleton through a scope behind its protocol.
    static let singletonHitInAScope = Workload("singleton-hit-through-any-scope") {
        let scope = makeContainer { $0.singleton { Settings() } }.scope()
        return { iterations in
            for _ in 0..<iterations { consume(scope.resolve(Settings.self)) }
        }
    }

    /// Resolves an existing scoped object.
    static let scopedHit = Workload("scoped-hit-through-any-scope") {
        let scope = makeContainer { $0.scoped { Settings() } }.scope()
        return { iterations in
            for _ in 0..<iterations { consume(scope.resolve(Settings.self)) }
        }
    }

    /// Resolves an existing singleton by its name.
    static let namedHit = Workload("named-hit") {
        let container = makeContainer { $0.singleton { Named<Primary, Settings>(Settings()) } }
        return { iterations in
            for _ in 0..<iterations { consume(container.resolve(Settings.self, named: Primary.self)) }
        }
    }

    /// Resolves an existing object that the container doesn't retain.
    static let weakHit = Workload("weak-hit") {
        let container = makeContainer { $0.weak { Settings() } }
        return { iterations in
            let kept = container.resolve(Settings.self)
            for _ in 0..<iterations { consume(container.resolve(Settings.self)) }
            consume(kept)
        }
    }

    /// Resolves an existing object whose time isn't over.
    static let timeLimitedHit = Workload("time-limited-hit") {
        let container = makeContainer { $0.timeLimited(.seconds(86_400)) { Settings() } }
        return { iterations in
            for _ in 0..<iterations { consume(container.resolve(Settings.self)) }
        }
    }

    /// Creates an object with an argument, in a factory that was resolved before.
    static let makeWithFactory = Workload("make-with-a-factory") {
        let container = makeContainer { builder in
            builder.factory(of: Settings.self, taking: Int.self, dependencies: Dependencies()) { Settings(word: $1) }
        }
        let make = container.resolve(Factory<Settings, Int>.self)
        return { iterations in
            for number in 0..<iterations { consume(make(number)) }
        }
    }

    /// Creates an object with a singleton from its scope.
    static let transientWithScope = Workload("transient-with-scope") {
        let container = makeContainer { builder in
            builder.singleton { Settings() }
            builder.transient { Store(settings: $0.resolve()) }
        }
        return { iterations in
            for _ in 0..<iterations { consume(container.resolve(Store.self)) }
        }
    }

    /// Creates three transient objects.
    ///
    /// The topmost object is `Resolvable`.
    static let graphOfThree = Workload("graph-of-three") {
        let container = makeContainer { builder in
            builder.transient { Settings() }
            builder.transient { Store(settings: $0.resolve()) }
            builder.transient(Screen.self)
        }
        return { iterations in
            for _ in 0..<iterations { consume(container.resolve(Screen.self)) }
        }
    }

    /// Opens a scope of a container with `count` registrations.
    static func newScope(among count: Int) -> Workload {
        Workload("new-scope-among-\(count)") {
            let container = makeContainer { Numbered.register(count, in: $0) }
            return { iterations in
                for _ in 0..<iterations { consume(container.scope()) }
            }
        }
    }

    /// Registers types and builds a container of them, at most 10,000 in each container.
    ///
    /// Each type is new to the first container.
    static let buildContainer = Workload("register-a-type-and-build") {
        { iterations in
            var left = iterations
            while left > 0 {
                let count = min(left, 10_000)
                consume(makeContainer { Numbered.register(count, in: $0) })
                left -= count
            }
        }
    }

    /// Opens a scope and creates its first object.
    static let firstScopedObject = Workload("new-scope-and-its-first-object") {
        let container = makeContainer { $0.scoped { Settings() } }
        return { iterations in
            for _ in 0..<iterations { consume(container.scope().resolve(Settings.self)) }
        }
    }

    /// Creates a container with the registrations of `register` and nine more.
    private static func makeContainer(_ register: (ContainerBuilder) -> Void) -> Container {
        let builder = ContainerBuilder()
        Numbered.register(9, in: builder)
        register(builder)
        return builder.build()
    }
}

/// The name of an object.
private enum Primary: DependencyName {}
