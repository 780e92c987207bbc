// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "domain-client",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "headrace", path: "../../..", traits: ["SQLite"])
    ],
    targets: [
        .executableTarget(
            name: "domain-client",
            dependencies: [.product(name: "HeadraceSQLite", package: "headrace")]
        )
    ]
)
