// SPDX-License-Identifier: Apache-2.0

#if Server
import HTTPTypes
import Headrace
import HeadraceHummingbird

extension Problem {
    static func malformed(_ message: String) -> Problem { Problem(.badRequest, code: "malformed", message) }

    static func notFound(_ message: String) -> Problem { Problem(.notFound, code: "notFound", message) }

    /// A problem of content that is well-formed.
    static func invalid(_ code: String, _ message: String) -> Problem {
        Problem(.unprocessableContent, code: code, message)
    }

    /// The disk has no room for `what`.
    static func full(_ what: String) -> Problem {
        Problem(
            .init(code: 507, reasonPhrase: "Insufficient Storage"),
            code: "full",
            "The disk of the server has no room for \(what), so nothing was stored. To fix, free space on the disk, "
                + "then send it again."
        )
    }

    /// Returns the problem with the path of an invalid member of the body.
    func about(_ path: String) -> Problem {
        with([Failure(path: path, text: message)])
    }
}
#endif
