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
        self.init(.transient, contract, dependencies) { _ in
            MainActorBinding(TransientBinding(contract: contract) { MainActorBox(factory, $0) })
        }
    }

    init<Contract>(
        scoped contract: Contract.Type,
        dependencies: Dependencies,
        on actor: MainActor.Type,
        factory: @escaping MainActorFactory<Contract>
    ) {
        self.init(.scoped, contract, dependencies) { index in
            MainActorBinding(ScopedBinding(index: index, contract: contract) { MainActorBox(factory, $0) })
        }
    }

    init<Contract>(
        singleton contract: Contract.Type,
        dependencies: Dependencies,
        on actor: MainActor.Type,
        factory: @escaping MainActorFactory<Contract>
    ) {
        self.init(.singleton, contract, dependencies) { _ in
            MainActorBinding(SingletonBinding(contract: contract) { MainActorBox(factory, $0) })
        }
    }
}
