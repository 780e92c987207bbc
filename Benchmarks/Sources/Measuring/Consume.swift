// SPDX-License-Identifier: Apache-2.0

/// Takes `object` in a function that is not inlined, so that the optimizer does not remove the code that created it.
@inline(never)
@_optimize(none)
public func consume(_ object: AnyObject) {}

/// Takes `value` in a function that is not inlined, so that the optimizer does not remove the code that created it.
@inline(never)
@_optimize(none)
public func consume(_ value: Int) {}
