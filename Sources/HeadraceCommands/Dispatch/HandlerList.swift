// SPDX-License-Identifier: Apache-2.0

/// The parameter of `standard(…)` that lists the handlers of a type of message.
enum HandlerList: String {
    case commandHandlers, queryHandlers, streamHandlers

    /// The list for the handlers of `message`.
    init(for message: any DispatchedMessage.Type) {
        self =
            switch message {
            case is any CQDCommand.Type: .commandHandlers
            case is any CQDQuery.Type: .queryHandlers
            default: .streamHandlers
            }
    }
}
