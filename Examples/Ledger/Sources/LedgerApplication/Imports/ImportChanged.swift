//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
public import Headrace

/// An import has come further, was stopped, resumed, or has ended.
public struct ImportChanged: DurableDomainEvent {
    /// The name under which the event is stored.
    public static let eventName = "import-changed"

    /// The import.
    public let id: UUID
}
