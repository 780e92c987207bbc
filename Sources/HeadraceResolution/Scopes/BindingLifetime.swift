// SPDX-License-Identifier: Apache-2.0

/// How long a binding keeps an object; see ``Lifetime``.
///
/// The raw value is the name in messages and drawings.
enum BindingLifetime: String {
    case transient, scoped, singleton
}
