//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
import HeadraceCore

/// Says what an inspector may show of what is in messages, states and failures.
///
/// ```swift
/// var redaction = Redaction.typesOnly
/// redaction.message = { message in (message as? PostTransaction).map { "\($0.postings.count) postings" } }
/// redaction.failure = { $0 }
/// ```
///
/// Each rule gives the text to show, or `nil` to show nothing. The rules run in the tasks that handle messages, while
/// somebody looks, and not at all else.
public struct Redaction: Sendable {
    /// What is shown of a message, an event or an action, besides its type.
    public var message: @Sendable (_ message: any Sendable) -> String? = { _ in nil }

    /// What is shown of a stored event or command, besides its name.
    public var storedMessage: @Sendable (_ name: String, _ json: Data) -> String? = { _, _ in nil }

    /// What is shown of a property of a station's state, besides its name.
    public var property: @Sendable (_ station: String, _ property: String, _ value: String) -> String? = { _, _, _ in
        nil
    }

    /// What is shown of an error, or of the reason of a dead letter, besides its code.
    public var failure: @Sendable (_ text: String) -> String? = { _ in nil }

    /// What is shown of the identifier of an entity, besides its kind.
    public var identifier: @Sendable (_ kind: String, _ key: String) -> String? = { _, _ in nil }

    private init() {}

    /// Types, names and codes are shown, and nothing that is in a message.
    public static let typesOnly = Redaction()

    /// Everything is shown: for development, on data that may be seen.
    public static let nothing: Redaction = {
        var redaction = Redaction()
        redaction.message = { String(reflecting: $0).withoutTypeAddresses }
        redaction.storedMessage = { _, json in String(decoding: json, as: UTF8.self) }
        redaction.property = { _, _, value in value }
        redaction.failure = { $0 }
        redaction.identifier = { _, key in key }
        return redaction
    }()
}
