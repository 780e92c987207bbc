//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension Registration {
    typealias MainActorFactory<Contract> = @MainActor (any DependencyResolutionScope) -> Contract

    init<Contract>(
        transient contract: Contract.Type,
        dependencies: Dependencies,
        on actor: MainActor.Type,
        factory: @escaping MainActorFactory<Contract>
    ) {
        self.init(.transient, contract, dependencies) { place in
            MainActorBinding(TransientBinding(place) { MainActorBox(factory, $0) })
        }
    }

    init<Contract>(
        scoped contract: Contract.Type,
        dependencies: Dependencies,
        on actor: MainActor.Type,
        factory: @escaping MainActorFactory<Contract>
    ) {
        self.init(.scoped, contract, dependencies) { place in
            MainActorBinding(ScopedBinding(place) { MainActorBox(factory, $0) })
        }
    }

    init<Contract>(
        singleton contract: Contract.Type,
        dependencies: Dependencies,
        on actor: MainActor.Type,
        factory: @escaping MainActorFactory<Contract>
    ) {
        self.init(.singleton, contract, dependencies) { place in
            MainActorBinding(SingletonBinding(place) { MainActorBox(factory, $0) })
        }
    }
}
