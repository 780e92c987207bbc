//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
import HeadraceCore

/// Rules for showing the content of messages, states, and failures in an inspector.
///
/// ```swift
/// var redaction = Redaction.typesOnly
/// redaction.message = { message in (message as? PostTransaction).map { "\($0.postings.count) postings" } }
/// redaction.failure = { $0 }
/// ```
///
/// Each rule returns the text to show, or `nil` to hide the content. The rules run in the tasks that handle messages, and
/// only while the inspector is in use.
public struct Redaction: Sendable {
    /// Content of a message, an event, or an action.
    ///
    /// Its type is always shown.
    public var message: @Sendable (_ message: any Sendable) -> String? = { _ in nil }

    /// Content of a stored event or command.
    ///
    /// Its name is always shown.
    public var storedMessage: @Sendable (_ name: String, _ json: Data) -> String? = { _, _ in nil }

    /// Value of a property of a station's state.
    ///
    /// The name of the property is always shown.
    public var property: @Sendable (_ station: String, _ property: String, _ value: String) -> String? = { _, _, _ in
        nil
    }

    /// Text of an error, or the reason of a dead letter.
    ///
    /// The code of the error is always shown.
    public var failure: @Sendable (_ text: String) -> String? = { _ in nil }

    /// Identifier of an entity, key of a durable process, or name of a circuit.
    ///
    /// The kind is always shown: the kind of the entity, the name of the process, or `circuit`.
    public var identifier: @Sendable (_ kind: String, _ key: String) -> String? = { _, _ in nil }

    private init() {}

    /// Shows types, names, and codes; hides all content.
    public static let typesOnly = Redaction()

    /// Shows all content.
    ///
    /// Use it in development only, with data that isn't confidential.
    public static let disabled: Redaction = {
        var redaction = Redaction()
        redaction.message = { String(reflecting: $0).withoutTypeAddresses }
        redaction.storedMessage = { _, json in String(decoding: json, as: UTF8.self) }
        redaction.property = { _, _, value in value }
        redaction.failure = { $0 }
        redaction.identifier = { _, key in key }
        return redaction
    }()
}
