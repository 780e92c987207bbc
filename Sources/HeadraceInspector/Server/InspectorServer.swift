//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Inspector
public import Foundation
public import HeadraceCore
import Synchronization

#if Lifecycle
public import ServiceLifecycle
#endif

/// Serves an ``Inspector`` on this machine, and nowhere else.
///
/// ```swift
/// let server = InspectorServer(inspector)
/// try await server.start()        // prints the address to open, with the token in it
/// await server.stop()
/// ```
///
/// It listens on 127.0.0.1, on a port that is free unless told otherwise. Whoever does not know the token gets nothing, and
/// nothing is changed unless it is made with `allowsWrites`; see ``InspectorRoutes``. Each connection carries one request,
/// and has ten seconds to bring it.
///
/// Where the trait `Lifecycle` is on, it is a service of swift-service-lifecycle: a graceful shutdown ends it at once, open
/// streams included. It needs the trait `Inspector`.
public final class InspectorServer: Sendable {
    private struct State {
        var isStarting = false
        var loop: Task<Void, Never>?
        var url: URL?
    }

    /// What it answers with.
    public let routes: InspectorRoutes

    private let port: UInt16
    private let clock: any TimeSource
    private let announce: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// Creates a server that does not listen yet.
    ///
    /// - Parameters:
    ///   - inspector: What it shows.
    ///   - port: Where it listens; 0, the default, for a port that is free.
    ///   - allowsWrites: Whether dead letters may be replayed and discarded.
    ///   - limits: What a client may send.
    ///   - clock: Tells when a client has had time enough.
    ///   - announce: Is given the address to open whenever the server starts; prints it unless told otherwise. The token
    ///     is in it: keep it out of logs.
    public init(
        _ inspector: Inspector,
        port: UInt16 = 0,
        allowsWrites: Bool = false,
        limits: InspectorRoutes.Limits = InspectorRoutes.Limits(),
        clock: any TimeSource = ContinuousClock(),
        announce: @escaping @Sendable (String) -> Void = { print("Inspector: \($0)") }
    ) {
        routes = InspectorRoutes(inspector, allowsWrites: allowsWrites, limits: limits)
        self.port = port
        self.clock = clock
        self.announce = announce
    }

    deinit {
        state.withLock { $0.loop }?.cancel()
    }

    /// The address to open, with the token in it; `nil` while it does not listen.
    public var url: URL? { state.withLock { $0.url } }

    /// Begins to listen, and returns when it does.
    ///
    /// - Returns: The address to open, with the token in it.
    /// - Throws: ``InspectorServerError``.
    @discardableResult
    public func start() async throws -> URL {
        try await begin().url
    }

    /// Serves until it is stopped, its task is cancelled, or a graceful shutdown begins.
    ///
    /// - Throws: ``InspectorServerError``.
    public func run() async throws {
        let loop = try await begin().loop
        #if Lifecycle
        await withGracefulShutdownHandler {
            await Self.end(of: loop)
        } onGracefulShutdown: {
            loop.cancel()
        }
        #else
        await Self.end(of: loop)
        #endif
        forget(loop)
    }

    /// Listens no more, ends all connections, and returns when they have ended; it may be started again then.
    public func stop() async {
        guard let loop = state.withLock({ $0.loop }) else { return }
        loop.cancel()
        await loop.value
        forget(loop)
    }

    private func begin() async throws -> (url: URL, loop: Task<Void, Never>) {
        let isFree = state.withLock { state in
            if state.isStarting || state.loop != nil { return false }
            state.isStarting = true
            return true
        }
        if !isFree { throw InspectorServerError.alreadyRunning }
        defer { state.withLock { $0.isStarting = false } }

        let loop: ServerLoop
        do {
            loop = try await ServerLoop(port: port, routes: routes, clock: clock)
        } catch {
            throw InspectorServerError.cannotListen(on: port, error)
        }
        guard let url = URL(string: "http://127.0.0.1:\(loop.port)\(routes.entrance)") else {
            preconditionFailure("The address of a port is one.")
        }
        let task = loop.begin()
        state.withLock { state in
            state.loop = task
            state.url = url
        }
        announce(url.absoluteString)
        return (url, task)
    }

    private func forget(_ loop: Task<Void, Never>) {
        state.withLock { state in
            guard state.loop == loop else { return }
            state.loop = nil
            state.url = nil
        }
    }

    private static func end(of loop: Task<Void, Never>) async {
        await withTaskCancellationHandler {
            await loop.value
        } onCancel: {
            loop.cancel()
        }
    }
}

#if Lifecycle
extension InspectorServer: Service {}
#endif
#endif
