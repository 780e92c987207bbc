// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
public import HeadraceStorage

extension DeadLetters {
    /// Creates access to the dead letters in `store`, and checks corrected contents by the types that `relays` know.
    ///
    /// A relay knows the events of its registrar, and the commands that it carries out. Relays on other stores don't count.
    public init(in store: any DeliveryStore, relays: [Relay]) {
        let relays = relays.filter { $0.store.undecorated === store.undecorated }
        self.init(in: store) { content in
            relays.lazy.compactMap { $0.decodingFailure(of: content) }.first.map(DecodingFailure.init)
        }
    }
}

extension Relay {
    /// The error of decoding the message `content`; `nil` if it decodes, or if this relay doesn't know its type or version.
    fileprivate func decodingFailure(of content: Delivery.Content) -> (any Error)? {
        if case .scheduled(let message) = content, message.kind == .command {
            return route(of: message.name)?.decodingFailure(of: message)
        }
        guard let message = content.message else { return nil }
        do {
            _ = try registrar.events.decode(message.json, name: message.name, version: message.version)
            return nil
        } catch let error as EventError {
            return error.code == .undecodable ? error.cause ?? error : nil
        } catch {
            return error
        }
    }
}
