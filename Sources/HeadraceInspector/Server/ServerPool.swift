//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Inspector
import FlyingSocks

/// The pool of waiting sockets.
///
/// Await ``settle()`` before you close a socket. FlyingFox 0.27.1 resumes a waiting task before it removes the socket's
/// file descriptor from the poll set. If the resumed task closes the socket on another thread in between, the descriptor
/// stays in the set, and the next socket with the same descriptor never receives events.
struct ServerPool: Sendable {
    let sockets: any AsyncSocketPool

    init() {
        sockets = SocketPool.make()
    }

    func open(_ socket: Socket) throws -> AsyncSocket {
        try AsyncSocket(socket: socket, pool: sockets)
    }

    /// Returns when the pool has finished its current work.
    ///
    /// The pool is an actor and doesn't suspend while it resumes tasks.
    func settle() async {
        if let actor = sockets as? any Actor { await Self.turn(of: actor) }
    }

    private static func turn(of actor: isolated any Actor) {}
}
#endif
