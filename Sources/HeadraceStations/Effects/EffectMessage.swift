// SPDX-License-Identifier: Apache-2.0

/// The message that middleware and observers receive for an effect.
///
/// Its kind is `effect`, and its cause is the action that has started the effect.
public struct EffectMessage<Action: Sendable>: Sendable {
    /// The action that the station was reducing when the effect was returned.
    public let action: Action
}
