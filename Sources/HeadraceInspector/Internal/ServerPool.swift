//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Inspector
import FlyingSocks

/// The sockets that wait, and how to close one of them.
///
/// Those of FlyingFox 0.27.1 are told to go on before they are taken out of what the system watches. Where one goes on in
/// another thread and is closed meanwhile, its number stays behind as watched, and the next socket of that number is
/// never told anything. So nothing is closed before ``settle()`` has returned.
struct ServerPool: Sendable {
    let sockets: any AsyncSocketPool

    init() {
        sockets = SocketPool.make()
    }

    func open(_ socket: Socket) throws -> AsyncSocket {
        try AsyncSocket(socket: socket, pool: sockets)
    }

    /// Returns when the pool has finished what it was doing: it is an actor, and does it in one turn.
    func settle() async {
        if let actor = sockets as? any Actor { await Self.turn(of: actor) }
    }

    private static func turn(of actor: isolated any Actor) {}
}
#endif
