// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// The action, the scope, and the namespace of an effect that is being started.
///
/// The type isn't generic because generic code looks up the metadata of a generic type each time it handles a value.
struct EffectContext {
    /// The action that has returned the effect.
    let action: any Sendable

    /// The completion to which the effect counts.
    let completion: ActionCompletion

    /// The action as a message; `nil` if the station isn't instrumented.
    let message: MessageContext?

    /// The namespace of the effect's ids.
    var namespace: EffectNamespace

    /// The innermost scope around the effect.
    var scope: EffectScope
}
