// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceResolution

/// A type of handler as it was registered: its message, its dependencies, and its route.
struct RegisteredHandler: Sendable {
    /// The type of the handler.
    let type: Any.Type

    /// The type of the message.
    let message: any DispatchedMessage.Type

    /// The dependencies that the handler states.
    private(set) var part: RegistrationPart

    /// The route of messages of the type ``message``.
    let route: any AnyObject & Sendable

    init<Handler: HandlesCommand & Resolvable>(command handler: Handler.Type) {
        self.init(handler, of: Handler.Command.self, route: HandlerRoute<any HandlesCommand<Handler.Command>>(handler) { $0 })
        if Handler.Command.Output.self != Void.self {
            part.remark += ", returns \(String(naming: Handler.Command.Output.self))"
        }
    }

    init<Handler: HandlesQuery & Resolvable>(query handler: Handler.Type) {
        self.init(handler, of: Handler.Query.self, route: HandlerRoute<any HandlesQuery<Handler.Query>>(handler) { $0 })
    }

    init<Handler: HandlesStreamQuery & Resolvable>(streamQuery handler: Handler.Type) {
        self.init(handler, of: Handler.Query.self, route: HandlerRoute<any HandlesStreamQuery<Handler.Query>>(handler) { $0 })
    }

    private init<Handler: Resolvable>(
        _ handler: Handler.Type,
        of message: any DispatchedMessage.Type,
        route: any AnyObject & Sendable
    ) {
        type = handler
        self.message = message
        part = RegistrationPart(handler)
        self.route = route
    }
}
