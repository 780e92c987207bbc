//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Takes `object` where the optimiser does not look, so that what made it stays.
@inline(never)
@_optimize(none)
public func consume(_ object: AnyObject) {}

/// Takes `value` where the optimiser does not look, so that what made it stays.
@inline(never)
@_optimize(none)
public func consume(_ value: Int) {}
