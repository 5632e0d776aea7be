/** Allowed imports between rooms. */
import { expect, it } from "vitest"
import { dirname } from "node:path"
import { files, find, type Import, imports, isIn, read } from "./Files.ts"

/**
 * Rooms that each room may import besides itself. A file belongs to the first room whose name is a prefix of its
 * path.
 */
const rooms: ReadonlyArray<readonly [room: string, mayImport: ReadonlyArray<string>]> = [
  ["packages/domain", []],
  ["packages/matching", ["packages/domain"]],
  ["packages/ledger", ["packages/domain"]],
  ["packages/api", ["packages/domain"]],
  ["packages/client", packages("domain", "api")],
  ["packages/telemetry", []],
  ["packages/postgres", packages("domain", "telemetry")],
  ["packages/journal", packages("domain", "postgres", "telemetry")],
  ["packages/storage", packages("domain", "postgres", "journal")],
  ["packages/providers", ["packages/domain"]],
  ["packages/auth", packages("domain", "postgres", "storage", "providers")],
  [
    "packages/gateway",
    [
      ...packages("domain", "api", "postgres", "journal", "storage", "providers", "auth", "telemetry"),
      "cluster/protocol",
      "cluster/clients",
      "cluster/feed",
      "cluster/VenueSettings.ts"
    ]
  ],
  ["packages/simulation", packages("domain", "providers", "storage")],
  ["packages/testing", ["packages", "cluster"]],
  ["cluster/VenueSettings.ts", ["packages/domain"]],
  ["cluster/protocol", ["packages/domain"]],
  [
    "cluster/clients",
    [
      ...packages("domain", "journal", "telemetry"),
      "cluster/protocol",
      "cluster/feed/Batch.ts",
      "cluster/VenueSettings.ts"
    ]
  ],
  [
    "cluster/feed",
    [...packages("domain", "journal", "telemetry"), "cluster/protocol", "cluster/clients", "cluster/VenueSettings.ts"]
  ],
  ["cluster/tables", [...packages("domain", "storage"), "cluster/feed", "cluster/VenueSettings.ts"]],
  ...["cluster/entities", "cluster/singletons"].map(
    (room) =>
      [
        room,
        [
          ...packages("domain", "matching", "ledger", "postgres", "journal", "storage", "providers", "telemetry"),
          ...["protocol", "clients", "feed", "tables", "SingleProcess.ts", "VenueSettings.ts"].map(
            (name) => `cluster/${name}`
          )
        ]
      ] as const
  ),
  ["cluster", [...packages("domain", "postgres", "journal", "storage", "telemetry"), "cluster"]],
  ["apps/process", ["packages", "cluster"]],
  ["apps/init", ["packages", "apps/process"]],
  ["apps/runner", ["packages", "cluster", "apps/process"]],
  ["apps/gateway", ["packages", "cluster", "apps/process"]],
  ["apps/wallet", ["packages", "apps/process"]],
  ["apps/bank", ["packages", "apps/process"]],
  ["apps/migrate", ["packages", "apps/process"]],
  ["apps/keys", ["packages", "apps/process"]],
  ["apps/rekey", ["packages", "cluster", "apps/process"]],
  ["apps/status", ["packages", "apps/process"]],
  ["apps/identity", ["packages", "apps/process"]],
  ["apps/tron", ["packages", "apps/process"]],
  ["apps/database-roles", ["packages", "cluster", "apps/process"]],
  ["apps/archive", ["packages", "apps/process"]],
  ["apps/auditor", ["packages", "cluster", "apps/process", "apps/archive"]],
  ["apps/check", ["packages", "cluster", "apps/process", "apps/auditor", "apps/wallet"]],
  ["apps/explain", ["packages", "apps/process", "apps/auditor", "apps/dev"]],
  ["apps/dev", ["packages", "cluster", "apps/process"]],
  ["apps/cluster", ["packages", "cluster", "apps/process", "apps/dev"]],
  ["scripts", []],
  ["test", ["packages", "cluster", "apps", "scripts"]]
]

function packages(...names: ReadonlyArray<string>): ReadonlyArray<string> {
  return names.map((name) => `packages/${name}`)
}

const roomOf = (path: string) => rooms.find(([room]) => isIn(room)(path))

/** Rooms of pure code: they import only data modules of `effect`, and nothing from Node or npm. */
const pure = ["packages/domain", "packages/matching", "packages/ledger"]
const dataModules = new Set(
  `Array BigDecimal BigInt Brand Chunk Data DateTime Duration Equal Equivalence Function Hash HashMap HashSet Match
   MutableHashMap MutableList Number Option Order Predicate Record Result Schema SchemaTransformation String Struct
   Tuple`.split(/\s+/)
)

const described = ({ file, target }: Import): string => `${file} imports ${target}`

it("every source file belongs to one of the directories of the import map", () => {
  expect(files.filter((file) => roomOf(file) === undefined)).toEqual([])
})

it("each directory imports only from the directories that the import map allows", () => {
  const allowed = ({ file, target }: Import): boolean => {
    const [room, mayImport] = roomOf(file) ?? ["", []]
    return [room, ...mayImport].some((name) => isIn(name)(target))
  }
  expect(imports.filter((each) => each.ours && !allowed(each)).map(described)).toEqual([])
})

it("domain, matching and ledger use no effects, Node modules or npm packages", () => {
  const allowed = ({ names, target }: Import): boolean =>
    target === "effect" && names.every((name) => dataModules.has(name))
  const outside = imports.filter(({ file, ours }) => !ours && pure.some((room) => isIn(room)(file)))
  expect(outside.filter((each) => !allowed(each)).map(described)).toEqual([])
})

it("packages/api imports no npm package other than effect", () => {
  const outside = imports.filter(({ file, ours }) => !ours && isIn("packages/api")(file))
  expect(
    outside.filter(({ target }) => !/^effect(\/(http|http-api|socket))?(\/|$)/.test(target)).map(described)
  ).toEqual([])
})

/** Returns `@venue/domain` for `@venue/domain/Order`, and `effect` for `effect/sql`. */
const packageOf = (target: string): string =>
  target
    .split("/")
    .slice(0, target.startsWith("@") ? 2 : 1)
    .join("/")

it("files outside test import no development dependencies", () => {
  const installed = new Set(Object.keys(JSON.parse(read("package.json")).dependencies))
  const outside = imports.filter(
    ({ file, ours, target }) => !ours && !isIn("test")(file) && !target.startsWith("node:")
  )
  expect(outside.filter(({ target }) => !installed.has(packageOf(target))).map(described)).toEqual([])
})

it("each package declares exactly the dependencies that it imports, in the lock file's versions", () => {
  const { dependencies: versions, version: release } = JSON.parse(read("package.json"))
  const lock = JSON.parse(read("package-lock.json")).packages
  for (const manifest of find("packages/*/package.json", "cluster/package.json")) {
    const folder = dirname(manifest)
    const { name, version, dependencies = {} } = JSON.parse(read(manifest))
    expect({ folder, version }).toEqual({ folder, version: release })
    const targets = imports
      .filter(({ file, from }) => isIn(folder)(file) && !/^(\.|node:)/.test(from))
      .map(({ from }) => packageOf(from))
    const used = [...new Set(targets)].filter((target) => target !== name).toSorted()
    const wanted = used.map((target) => [target, target.startsWith("@venue/") ? version : versions[target]])
    expect({ folder, dependencies }).toEqual({ folder, dependencies: Object.fromEntries(wanted) })
    expect({ folder, locked: lock[folder]?.dependencies ?? {} }).toEqual({ folder, locked: dependencies })
  }
})
