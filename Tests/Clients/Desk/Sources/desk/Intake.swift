// SPDX-License-Identifier: Apache-2.0

import Headrace
import HeadraceFlux

actor Intake: Dispatcher {
    let pipeline = Pipeline()
    private let scope: any DependencyResolutionScope

    init(scope: any DependencyResolutionScope) {
        self.scope = scope
    }

    func shelve(_ title: String) async throws {
        let unitOfWork: UnitOfWork<EntityContext> = scope.resolve()
        try await unitOfWork.execute { context in
            let number = try await context.fetch(Book.self).count + 1
            context.insert(Book(id: "\(number)", title: title))
        }
    }
}

struct Shelve: Action {
    let title: String

    func execute(with intake: isolated Intake) async throws {
        try await intake.shelve(title)
    }
}
