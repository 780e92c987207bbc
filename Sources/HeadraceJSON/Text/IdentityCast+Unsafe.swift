// SPDX-License-Identifier: Apache-2.0

/// Returns `value` as a `Target`, which must be its own type.
///
/// Why the unsafe code is right: the function compares the types first, and a value of a type can be read as that type.
@inline(__always)
func identityCast<Source, Target>(_ value: Source, to type: Target.Type) -> Target {
    precondition(Source.self == Target.self)
    return unsafe unsafeBitCast(value, to: Target.self)
}
