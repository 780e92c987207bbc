// swift-tools-version: 6.2
import PackageDescription

// Async functions run on the actor of their caller. SE-0461
let settings: [SwiftSetting] = [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

// The shop has no entities, and writes the initializers of its three handlers by hand. So it doesn't need the trait Macros, and its
// first build doesn't compile swift-syntax.
let package = Package(
    name: "shop",
    platforms: [.macOS(.v15)],
    traits: [
        .trait(name: "Postgres", description: "Handles the events of a shop in a PostgreSQL database. Needs libpq.")
    ],
    dependencies: [
        .package(
            name: "headrace",
            path: "../..",
            traits: ["SQLite", .trait(name: "Postgres", condition: .when(traits: ["Postgres"]))]
        ),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .executableTarget(
            name: "shop",
            dependencies: [
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Headrace", package: "headrace"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "shopTests",
            dependencies: [
                "shop",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Headrace", package: "headrace"),
                .product(name: "HeadraceTesting", package: "headrace"),
            ],
            swiftSettings: settings
        ),
    ]
)
