// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "stations-client",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "headrace", path: "../../..", traits: [])
    ],
    targets: [
        .executableTarget(
            name: "stations-client",
            dependencies: [.product(name: "HeadraceStations", package: "headrace")]
        )
    ]
)
