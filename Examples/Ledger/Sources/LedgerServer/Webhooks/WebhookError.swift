// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
public import Headrace

/// An error of a webhook.
public struct WebhookError: CodedError {
    /// The kinds of errors.
    public enum Code: String, Sendable {
        /// The program was built without the trait `Webhooks`.
        case unavailable

        /// The receiver has responded with a status that doesn't accept the event.
        case refused
    }

    /// The kind of the error.
    public let code: Code

    /// The cause and the remedy, one sentence each.
    public let message: String

    static var unavailable: WebhookError {
        WebhookError(
            code: .unavailable,
            message: """
                This program was built without webhooks. To fix, build the ledger with '--traits Webhooks', as Scripts/ledger \
                does for the option '--webhook' and the variable LEDGER_SERVE_WEBHOOK.
                """
        )
    }

    static func refused(by url: URL, status: Int) -> WebhookError {
        WebhookError(
            code: .refused,
            message: """
                '\(url.withoutUser)' has responded with the status \(status). To fix, let it accept the event with a status \
                from 200 to 299.
                """
        )
    }
}

extension URL {
    /// The URL without a name and a password, for messages.
    fileprivate var withoutUser: String {
        var components = URLComponents(url: self, resolvingAgainstBaseURL: true)
        components?.user = nil
        components?.password = nil
        return components?.string ?? ""
    }
}
#endif
