// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite
struct CasesExpansionTests {
    @Test
    func eachCaseWithOneOrTwoValuesGetsACase() {
        expect(
            """
            @Cases
            enum Action {
                case reset
                case counter(Counter.Action)
                case row(Int, Row.Action)
            }
            """,
            expandsTo: """
                enum Action {
                    case reset
                    case counter(Counter.Action)
                    case row(Int, Row.Action)

                    enum Cases {
                        static var counter: HeadraceStations.Case<Action, Counter.Action> {
                            HeadraceStations.Case(Action.counter) {
                                if case .counter(let value) = $0 {
                                    value
                                } else {
                                    nil
                                }
                            }
                        }
                        static var row: HeadraceStations.Case<Action, (Int, Row.Action)> {
                            HeadraceStations.Case(Action.row) {
                                if case .row(let first, let second) = $0 {
                                    (first, second)
                                } else {
                                    nil
                                }
                            }
                        }
                    }
                }
                """
        )
    }

    @Test
    func labelsKeywordsAndThreeValuesAreAllowedAndTheAccessLevelIsCopied() {
        expect(
            """
            @Cases
            public enum Action {
                case `default`(answer: [String]), moved(Int, Int, Int)
            }
            """,
            expandsTo: """
                public enum Action {
                    case `default`(answer: [String]), moved(Int, Int, Int)

                    public enum Cases {
                        public static var `default`: HeadraceStations.Case<Action, [String]> {
                            HeadraceStations.Case(Action.`default`) {
                                if case .`default`(let value) = $0 {
                                    value
                                } else {
                                    nil
                                }
                            }
                        }
                    }
                }
                """
        )
    }

    @Test
    func aStructIsRefused() {
        expect(
            """
            @Cases
            struct Action {
            }
            """,
            expandsTo: """
                struct Action {
                }
                """,
            saying: DiagnosticSpec(
                message: "'@Cases' can only be attached to an enumeration",
                line: 1,
                column: 1,
                fixIts: [FixItSpec(message: "Remove '@Cases'")]
            )
        )
    }

    @Test
    func twoCasesWithOneNameAreRefused() {
        expect(
            """
            @Cases
            enum Action {
                case moved(x: Int)
                case moved(y: Int)
            }
            """,
            expandsTo: """
                enum Action {
                    case moved(x: Int)
                    case moved(y: Int)
                }
                """,
            saying: DiagnosticSpec(
                message: "'@Cases' needs a name for each case, and 'moved' is the name of two; rename one of them",
                line: 4,
                column: 10
            )
        )
    }
}
#endif
