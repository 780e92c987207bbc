//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CommonNames
import Headrace
import Testing

@Suite struct CommonNameTests {
    @Test func aCommonNameIsNotAmbiguous() {
        let types: [Any.Type] = [
            Action.self, Bootstrap.self, Builder.self, Cache.self, Case.self, Client.self, Command.self, Context.self,
            Effect.self, Entity.self, Event.self, Feed.self, Group.self, Handler.self, Job.self, Lock.self,
            Message.self,
            Model.self, Notification.self, Permit.self, Pipeline.self, Query.self, Queue.self, Reducer.self, Scene.self,
            Scope.self, Send.self, Session.self, State.self, Station.self, Store.self, Stream.self, Transaction.self,
            View.self, Worker.self,
        ]

        for type in types {
            #expect(String(reflecting: type).hasPrefix("CommonNames."))
        }
    }
}
