//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceResolution
import Synchronization

/// What the objects of these tests depend on; each is told from the others by its identity.
final class Settings: Sendable {}

/// A contract, as a protocol.
protocol Mailer: AnyObject, Sendable {
    var settings: Settings { get }
}

/// An implementation made by hand.
final class SmtpMailer: Mailer {
    let settings: Settings

    init(settings: Settings) {
        self.settings = settings
    }

    convenience init() {
        self.init(settings: Settings())
    }
}

/// An implementation that makes itself.
final class ResolvableMailer: Mailer, Resolvable {
    let settings: Settings

    init(settings: Settings) {
        self.settings = settings
    }

    init(scope: any DependencyResolutionScope) {
        settings = scope.resolve()
    }
}

/// Counts what happens, from any thread.
final class Counter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .sequentiallyConsistent) }

    /// Counts one more and gives how many that makes.
    @discardableResult
    func increment() -> Int {
        count.add(1, ordering: .sequentiallyConsistent).newValue
    }
}

/// A container with what `register` puts in it.
func container(_ register: (ContainerBuilder) -> Void) -> Container {
    let builder = ContainerBuilder()
    register(builder)
    return builder.build()
}
