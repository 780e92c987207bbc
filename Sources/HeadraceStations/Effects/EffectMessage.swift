//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An effect as middleware and observers see it: a message of the kind `effect`, caused by the action that started it.
public struct EffectMessage<Action: Sendable>: Sendable {
    /// The action that the station was reducing when the effect was returned.
    public let action: Action
}
