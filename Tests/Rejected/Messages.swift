//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCommands

// A message has one output, so that a dispatcher finds one handler for it.
struct CommandAndQuery: CQDCommand, CQDQuery {
    typealias Value = Int
}
