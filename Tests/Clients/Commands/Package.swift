// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "commands-client",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "headrace", path: "../../..", traits: [])
    ],
    targets: [
        .executableTarget(
            name: "commands-client",
            dependencies: [.product(name: "HeadraceCommands", package: "headrace")]
        )
    ]
)
