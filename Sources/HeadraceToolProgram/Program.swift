// SPDX-License-Identifier: Apache-2.0

#if Tool
import ArgumentParser
import HeadraceTool

@main
struct Program {
    static func main() async {
        await HeadraceTool.main()
    }
}
#else
import Foundation

@main
struct Program {
    static func main() {
        let message = "This build has no command-line tool. To fix, build it with the trait 'Tool': --traits Tool\n"
        FileHandle.standardError.write(Data(message.utf8))
        exit(1)
    }
}
#endif
