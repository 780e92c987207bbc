// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceServices
import HeadraceTesting
import Testing

private enum SessionAction: Action { case began(user: String), ended }
private struct ShowProblem: Action { let text: String }

private actor Profile {
    private(set) var user: String?

    func apply(_ action: SessionAction) throws {
        switch action {
        case .began(let user) where user.isEmpty: throw NoUser()
        case .began(let user): self.user = user
        case .ended: user = nil
        }
    }
}

private struct Badge: Equatable {
    var visits = 0
}

private struct Notices: Equatable {
    var shown: [String] = []
}

private struct NoUser: Error {}

private struct ProfileService: Service {
    var body: some Service {
        Store(model: Profile.self)
            .mutate(on: SessionAction.self) { model, action, send in
                try await model.apply(action)
            }
    }
}

private struct BadgeService: Service {
    var body: some Service {
        Store(model: Badge.self)
            .mutate(on: SessionAction.self) { model, action, send in
                if case .began = action { model.visits += 1 }
            }
    }
}

@Suite(.timeLimit(.minutes(2))) struct ServiceTreesTests {
    @Test func eachServiceHandlesTheActionAndAnErrorBecomesANotice() async throws {
        let profile = Profile()
        let badge = ModelProbe<Badge>()
        let notices = ModelProbe<Notices>()

        let cluster = try await Bootstrap {
            Group {
                ProfileService()
                    .with(model: profile)
                BadgeService()
                    .with(model: Badge(), probe: badge)
            }
            .serial()
            .transformError { ShowProblem(text: "\($0)") }

            Store(model: Notices.self)
                .mutate(on: ShowProblem.self) { model, action, send in
                    model.shown.append(action.text)
                }
                .with(model: Notices(), probe: notices)
        }

        try await cluster.send(action: SessionAction.began(user: "Ada"))
        try await cluster.send(action: SessionAction.began(user: ""))

        #expect(await profile.user == "Ada")
        #expect(badge.current == Badge(visits: 1))
        #expect(notices.current == Notices(shown: ["NoUser()"]))
    }
}
