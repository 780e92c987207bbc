// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import Hummingbird

/// The context of a request.
struct LedgerRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage

    /// The encoder of the bodies.
    var responseEncoder: JSONEncoder { Self.encoder }

    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
    }
}
#endif
