//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Which schedule the test stations have that are made in this task; first in, first out where there is none.
enum Schedule {
    @TaskLocal static var seed: UInt64?
}
