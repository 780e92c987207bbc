// SPDX-License-Identifier: Apache-2.0

import HeadraceCommands

struct CommandAndQuery: CQDCommand, CQDQuery {
    typealias Value = Int
}

// A message is a command or a query, so that a dispatcher finds one handler for it.
func dispatch(_ message: CommandAndQuery, by dispatcher: any CommandQueryDispatcher) async throws {
    // expected-error@+1 {{ambiguous use of 'dispatch'}}
    _ = try await dispatcher.dispatch(message)
}
