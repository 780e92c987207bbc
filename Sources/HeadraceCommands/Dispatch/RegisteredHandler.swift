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
    let route: AnyHandlerRoute

    init<Handler: HandlesCommand & Resolvable>(command handler: Handler.Type) {
        let route = HandlerRoute<any HandlesCommand<Handler.Command>>(.commandHandlers) { scope, proof in
            try proof.check(Handler.self, in: scope)
            return Handler(scope: scope)
        }
        self.init(handler, of: Handler.Command.self, route: route)
        if Handler.Command.Output.self != Void.self {
            part.remark += ", returns \(String(naming: Handler.Command.Output.self))"
        }
    }

    init<Handler: HandlesQuery & Resolvable>(query handler: Handler.Type) {
        let route = HandlerRoute<any HandlesQuery<Handler.Query>>(.queryHandlers) { scope, proof in
            try proof.check(Handler.self, in: scope)
            return Handler(scope: scope)
        }
        self.init(handler, of: Handler.Query.self, route: route)
    }

    init<Handler: HandlesStreamQuery & Resolvable>(streamQuery handler: Handler.Type) {
        let route = HandlerRoute<any HandlesStreamQuery<Handler.Query>>(.streamHandlers) { scope, proof in
            try proof.check(Handler.self, in: scope)
            return Handler(scope: scope)
        }
        self.init(handler, of: Handler.Query.self, route: route)
    }

    private init<Handler: Resolvable>(
        _ handler: Handler.Type,
        of message: any DispatchedMessage.Type,
        route: AnyHandlerRoute
    ) {
        type = handler
        self.message = message
        part = RegistrationPart(handler)
        self.route = route
    }
}
