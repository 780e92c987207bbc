// SPDX-License-Identifier: Apache-2.0

import HeadraceDomain
package import HeadraceResolution
import Synchronization

/// Lines that handlers add, in order.
package final class Journal: Sendable {
    private let lines = Mutex<[String]>([])

    package init() {}

    package var entries: [String] { lines.withLock { $0 } }

    package func add(_ line: String) {
        lines.withLock { $0.append(line) }
    }
}

package struct JournalBefore: DomainEventHandler {
    package static func handle(event: Noted, resolver: any DependencyResolver) async throws {
        resolver.resolve(Journal.self).add("before \(event.text)")
    }
}

package enum Red {
    package struct Happened: DomainEvent {
        package init() {}
    }
}

package struct JournalRed: DomainEventHandler {
    package static func handle(event: Red.Happened, resolver: any DependencyResolver) async throws {
        resolver.resolve(Journal.self).add("red")
    }
}
