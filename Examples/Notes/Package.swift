// swift-tools-version: 6.2
import PackageDescription

// Async functions run on the actor of their caller. SE-0461
let settings: [SwiftSetting] = [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]
let headrace = Target.Dependency.product(name: "Headrace", package: "headrace")
let headraceClient = Target.Dependency.product(name: "HeadraceClient", package: "headrace")
let server: [Target.Dependency] = [
    .product(name: "HeadraceHummingbird", package: "headrace"),
    .product(name: "HeadraceInspector", package: "headrace"),
    .product(name: "Hummingbird", package: "hummingbird"),
]

let package = Package(
    name: "notes",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .executable(name: "notes", targets: ["NotesTerminal"]),
        .executable(name: "notes-server", targets: ["NotesServer"]),
    ],
    traits: [
        .trait(name: "Postgres", description: "Keeps the notes of the server in a PostgreSQL database. Needs libpq.")
    ],
    dependencies: [
        .package(
            name: "headrace",
            path: "../..",
            traits: [
                .defaults, "AsyncHTTPClient", "Hummingbird",
                .trait(name: "Postgres", condition: .when(traits: ["Postgres"])),
            ]
        ),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    ],
    targets: [
        .target(name: "NotesDomain", dependencies: [headrace, headraceClient], swiftSettings: settings),
        .target(
            name: "NotesClient",
            dependencies: [
                "NotesDomain", headrace, headraceClient, .product(name: "HeadraceStations", package: "headrace"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "NotesServer", dependencies: ["NotesDomain", headrace] + server, swiftSettings: settings),
        .executableTarget(
            name: "NotesTerminal", dependencies: ["NotesClient", "NotesDomain", headrace, headraceClient],
            swiftSettings: settings),
        .testTarget(
            name: "NotesTests",
            dependencies: [
                "NotesClient", "NotesDomain", "NotesServer", headrace, headraceClient,
                .product(name: "HeadraceStations", package: "headrace"),
                .product(name: "HeadraceTesting", package: "headrace"),
            ] + server,
            swiftSettings: settings
        ),
    ]
)
