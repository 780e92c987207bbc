// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Tells whether the current code is run by the main actor.
///
/// `MainActor.assumeIsolated` finds that out as well, but stops the program without our message (Swift 6.3). The queue of
/// the main actor's executor has a mark, which its work items can read.
enum MainActorCheck {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool {
        DispatchQueue.getSpecific(key: key) ?? false
    }
}
