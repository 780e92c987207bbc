//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCommands

// expected-error@+4 {{type 'CommandAndQuery' does not conform to protocol 'CQDQuery'}}
// expected-error@+3 {{requires the types '()' and 'CommandAndQuery.Value' (aka 'Int') be equivalent}}
// expected-note@+2 {{requirement specified as 'Self.Output' == 'Self.Value'}}
// A message has one output, so that a dispatcher finds one handler for it.
struct CommandAndQuery: CQDCommand, CQDQuery {
    typealias Value = Int
}
