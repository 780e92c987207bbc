// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// The end of a cluster's emitters: a shutdown, or the first error.
typealias EmitterEnd = OneShot<Result<Void, any Error>>

/// The emitters of a cluster.
final class EmitterGroup: Sendable {
    private let runs: [EmitterRun]
    private let consumedFirst: [Emitter]
    private let core: WeakCore

    let end = EmitterEnd()

    init(_ emitters: [Emitter], core: ClusterCore) {
        self.core = WeakCore(core)
        consumedFirst = emitters.filter(\.isConsumedFirst)
        runs = emitters.filter { !$0.isConsumedFirst }.map(EmitterRun.init)
    }

    /// Consumes the sequences that are consumed at bootstrap.
    func consumeFirst() async throws {
        for emitter in consumedFirst {
            try await emitter.pump { [core] action in
                guard let core = core.value else { return false }
                try await emitter.handle(action, by: core)
                return true
            }
        }
    }

    func start() {
        for run in runs { run.start(with: core, end: end) }
    }

    /// Drains the emitters, outer ones first, and returns when all have ended.
    func drain() async {
        for run in runs.reversed() { await run.drain() }
    }

    /// Ends the emitters and cancels their actions.
    func stop() {
        end.set(.failure(CancellationError()))
        for run in runs { run.stop() }
    }
}

/// A weak reference to a cluster: its emitters don't keep it alive.
struct WeakCore: Sendable {
    private weak let core: ClusterCore?

    init(_ core: ClusterCore) {
        self.core = core
    }

    var value: ClusterCore? { core }
}
