/** The house rules that a machine can check: who may import whom, and what no file may hold. */
import { expect, it } from "vitest"
import { existsSync, globSync, readFileSync } from "node:fs"
import { basename, dirname, join, normalize } from "node:path"

const root = join(import.meta.dirname, "..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")
const files = globSync(["packages/**/*.ts", "cluster/**/*.ts", "apps/**/*.ts", "test/**/*.ts"], {
  cwd: root,
  exclude: ["**/node_modules/**"]
}).toSorted()
const house = files.filter((file) => /^(packages|cluster)\//.test(file))

/** What each room may import beside itself. The first room whose name begins a path is that path's room. */
const rooms: ReadonlyArray<readonly [room: string, mayImport: ReadonlyArray<string>]> = [
  ["packages/domain", []],
  ["packages/matching", ["packages/domain"]],
  ["packages/ledger", ["packages/domain"]],
  ["packages/api", ["packages/domain"]],
  ["packages/client", packages("domain", "api")],
  ["packages/postgres", ["packages/domain"]],
  ["packages/journal", packages("domain", "postgres")],
  ["packages/storage", packages("domain", "postgres", "journal")],
  ["packages/providers", ["packages/domain"]],
  ["packages/auth", packages("domain", "postgres", "storage", "providers")],
  [
    "packages/gateway",
    [
      ...packages("domain", "api", "postgres", "journal", "storage", "providers", "auth"),
      "cluster/protocol",
      "cluster/clients",
      "cluster/feed",
      "cluster/VenueSettings.ts"
    ]
  ],
  ["packages/testing", ["packages", "cluster"]],
  ["cluster/VenueSettings.ts", ["packages/domain"]],
  ["cluster/protocol", ["packages/domain"]],
  ["cluster/clients", [...packages("domain", "journal"), "cluster/protocol", "cluster/VenueSettings.ts"]],
  [
    "cluster/feed",
    [...packages("domain", "journal"), "cluster/protocol", "cluster/clients", "cluster/VenueSettings.ts"]
  ],
  ...["cluster/entities", "cluster/singletons"].map(
    (room) =>
      [
        room,
        [
          ...packages("domain", "matching", "ledger", "postgres", "journal", "storage", "providers"),
          ...["protocol", "clients", "feed", "SingleProcess.ts", "VenueSettings.ts"].map((name) => `cluster/${name}`)
        ]
      ] as const
  ),
  ["cluster", [...packages("domain", "journal", "storage"), "cluster"]],
  ["apps", ["packages", "cluster"]],
  ["test", ["packages", "cluster", "apps"]]
]

/** The rooms of these packages. */
function packages(...names: ReadonlyArray<string>): ReadonlyArray<string> {
  return names.map((name) => `packages/${name}`)
}

const isIn = (room: string) => (path: string) => path === room || path.startsWith(`${room}/`)
const roomOf = (path: string) => rooms.find(([room]) => isIn(room)(path))

/** Rooms that only compute: of `effect` they see data and schemas, of Node and npm nothing. */
const pure = ["packages/domain", "packages/matching", "packages/ledger"]
const dataModules = new Set(
  `Array BigDecimal BigInt Brand Chunk Data DateTime Duration Equal Equivalence Function Hash HashMap HashSet Match
   MutableHashMap MutableList Number Option Order Predicate Record Result Schema SchemaTransformation String Struct
   Tuple`.split(/\s+/)
)

interface Import {
  readonly file: string
  readonly names: ReadonlyArray<string>
  /** As written. */
  readonly from: string
  /** As written when it is another's package, else a path from the root. */
  readonly target: string
  readonly ours: boolean
}

const imports: ReadonlyArray<Import> = files.flatMap((file) =>
  [...read(file).matchAll(/^(?:import|export)\s+(?:([\w*\s{},]+?)\s+from\s+)?"([^"]+)"/gm)].map(
    ([, names = "", from = ""]): Import => ({ file, from, names: named(names), ...targetOf(file, from) })
  )
)

/** Of `type { A, type B as C }` the names A and B; of `* as D` the star. */
function named(clause: string): ReadonlyArray<string> {
  const words = clause.replaceAll(/\btype\s+(?=[\w{*])|[{}]/g, " ").split(",")
  return words.map((word) => word.trim().split(/\s/)[0] ?? "").filter((word) => word !== "")
}

function targetOf(file: string, from: string): Pick<Import, "target" | "ours"> {
  if (from.startsWith(".")) return { target: normalize(join(dirname(file), from)), ours: true }
  if (from.startsWith("@venue/cluster/")) return { target: `${from.slice("@venue/".length)}.ts`, ours: true }
  if (from.startsWith("@venue/")) return { target: `packages/${from.slice("@venue/".length)}.ts`, ours: true }
  return { target: from, ours: false }
}

const said = ({ file, target }: Import): string => `${file} imports ${target}`

it("every file belongs to a room of the import map", () => {
  expect(files.filter((file) => roomOf(file) === undefined)).toEqual([])
})

it("a room imports itself and the rooms beside it on the map, and no other", () => {
  const allowed = ({ file, target }: Import): boolean => {
    const [room, mayImport] = roomOf(file) ?? ["", []]
    return [room, ...mayImport].some((name) => isIn(name)(target))
  }
  expect(imports.filter((one) => one.ours && !allowed(one)).map(said)).toEqual([])
})

it("the machines and the nouns are pure: they import no effects, no Node and no package", () => {
  const allowed = ({ names, target }: Import): boolean =>
    target === "effect" && names.every((name) => dataModules.has(name))
  const outside = imports.filter(({ file, ours }) => !ours && pure.some((room) => isIn(room)(file)))
  expect(outside.filter((one) => !allowed(one)).map(said)).toEqual([])
})

it("the wire imports effect and nothing else of others", () => {
  const outside = imports.filter(({ file, ours }) => !ours && isIn("packages/api")(file))
  expect(outside.filter(({ target }) => !/^effect(\/(http|http-api|socket))?(\/|$)/.test(target)).map(said)).toEqual([])
})

/** Of `@venue/domain/Order` the package `@venue/domain`, of `effect/sql` the package `effect`. */
const packageOf = (target: string): string =>
  target
    .split("/")
    .slice(0, target.startsWith("@") ? 2 : 1)
    .join("/")

it("what runs in production imports only what production installs", () => {
  const installed = new Set(Object.keys(JSON.parse(read("package.json")).dependencies))
  const outside = imports.filter(
    ({ file, ours, target }) => !ours && !isIn("test")(file) && !target.startsWith("node:")
  )
  expect(outside.filter(({ target }) => !installed.has(packageOf(target))).map(said)).toEqual([])
})

it("a package names the packages that its files import, with the versions of the root, and the lock file agrees", () => {
  const versions: Readonly<Record<string, string>> = JSON.parse(read("package.json")).dependencies
  const lock = JSON.parse(read("package-lock.json")).packages
  for (const folder of [...globSync("packages/*", { cwd: root }), "cluster"].toSorted()) {
    const { name, version, dependencies = {} } = JSON.parse(read(`${folder}/package.json`))
    const targets = imports
      .filter(({ file, from }) => isIn(folder)(file) && !/^(\.|node:)/.test(from))
      .map(({ from }) => packageOf(from))
    const used = [...new Set(targets)].filter((target) => target !== name).toSorted()
    const wanted = used.map((target) => [target, target.startsWith("@venue/") ? version : versions[target]])
    expect({ folder, dependencies }).toEqual({ folder, dependencies: Object.fromEntries(wanted) })
    expect({ folder, locked: lock[folder]?.dependencies ?? {} }).toEqual({ folder, locked: dependencies })
  }
})

it("every file but a test, whose names say it, begins by saying what it is", () => {
  expect(files.filter((file) => !file.endsWith(".test.ts") && !read(file).startsWith("/**"))).toEqual([])
})

it("no file has more than 400 lines", () => {
  expect(files.filter((file) => read(file).trimEnd().split("\n").length > 400)).toEqual([])
})

it("files are named for their noun, and no folder or file is a place for leftovers", () => {
  const named = (file: string): boolean =>
    /^([A-Z][A-Za-z0-9]*|main)\.ts$/.test(basename(file)) || /\/migrations\/\d{4}_[a-z_]+\.ts$/.test(file)
  expect([...house, ...files.filter(isIn("apps"))].filter((file) => !named(file))).toEqual([])
  const leftovers = /(^|\/)(src|utils?|common|shared|types|helpers?|index)(\/|\.ts$)/i
  expect(files.filter((file) => leftovers.test(file))).toEqual([])
})

it("no code reads the clock, chance or the environment, or escapes the types, behind our back", () => {
  const forbidden =
    /\b(Date\.now|Math\.random|process\.env|console\.|new Date\(\)|async\b|try\s*\{|enum\s+\w|export default)|[:<|,(]\s*any\b|\bas any\b/g
  const code = (file: string): string => read(file).replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "")
  const found = house.flatMap((file) => [...code(file).matchAll(forbidden)].map(([words]) => `${file}: ${words}`))
  expect(found).toEqual([])
})

it("nothing is left for later, and no test is left out", () => {
  const here = "test/tidy.test.ts"
  const left = /\b(TODO|FIXME|XXX)\b|\b(it|test|describe|effect|live|layer)\.(only|skip|todo)\b/
  expect(files.filter((file) => file !== here && left.test(read(file)))).toEqual([])
})

it("the places that the README names exist", () => {
  const places = [...read("README.md").matchAll(/`((?:packages|cluster|apps|test|scripts|docs)\/[\w./-]*)`/g)]
  expect(places.map(([, place = ""]) => place).filter((place) => !existsSync(join(root, place)))).toEqual([])
})

/** Rules as `rule 4`, which is a section, and `rule 4.14`; invariants as `I27`. */
const numbers: ReadonlyArray<string> = [
  ...[...read("docs/rules.md").matchAll(/^(?:## (\d+)\.|\| (\d+\.\d+) \|)/gm)].map(
    ([, section, rule]) => `rule ${section ?? rule}`
  ),
  ...[...read("docs/invariants.md").matchAll(/^\| (I\d+) \|/gm)].map(([, number = ""]) => number)
]
const numbered: ReadonlySet<string> = new Set(numbers)

/** This file aside, which holds what a citation must not look like, and numbers that are kept free. */
const citing = [
  ...files.filter((file) => file !== "test/tidy.test.ts"),
  ...globSync(["*.md", "docs/*.md", "scripts/*.mjs", "test/**/*.md"], { cwd: root })
]
const inOneLine = (file: string): string =>
  read(file)
    .split("## Not built yet")[0]!
    .replaceAll(/\s*\n\s*(?:\*|\/\/)?\s*/g, " ")

const unfounded = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\b[Rr]ule (\d+(?:\.\d+)*)|\bI\d{1,2}\b/g)]
    .map(([cited, rule]) => (rule === undefined ? cited : `rule ${rule}`))
    .filter((cited) => !numbered.has(cited))

/** Another way to cite than those two: a number of nobody knows what, or one `rule` for several numbers. */
const misspelt = (text: string): ReadonlyArray<string> =>
  [
    ...text.matchAll(
      /"\d+(?:\.\d+)*: [a-z]|venue-rules|(?<!\bRFC \d+ )§|\b[Rr]ules \d|\b[Rr]ule \d+(?:\.\d+)*(?:,| and| or| to) \d/g
    )
  ].map(([words]) => words)

it("a rule or an invariant that is cited is in docs, once, and is cited in the one way", () => {
  expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([])
  expect(citing.flatMap((file) => unfounded(inOneLine(file)).map((cited) => `${file}: ${cited}`))).toEqual([])
  expect(citing.flatMap((file) => misspelt(inOneLine(file)).map((words) => `${file}: ${words}`))).toEqual([])
})

it("a citation of what is not there, or in another way, would be found", () => {
  expect(unfounded("rule 4, Rule 4.14 and rule 21.2; I27")).toEqual([])
  expect(unfounded("rule 4.99, Rule 99 and rule 4.1.1; I99")).toEqual(["rule 4.99", "rule 99", "rule 4.1.1", "I99"])
  expect(misspelt("as RFC 6749 §2.3.1 says (rule 6, rule 7, I27)")).toEqual([])
  const others = 'it("7.2: leverage …"), venue-rules 7, §7, rules 7, rule 6 and 7'
  expect(misspelt(others)).toEqual(['"7.2: l', "venue-rules", "§", "rules 7", "rule 6 and 7"])
})

/** Number, files that keep it, tests that name it. */
const invariants = [...read("docs/invariants.md").matchAll(/^\| (I\d+) \|[^|]*\|([^|]*)\|([^|]*)\|$/gm)].map(
  ([, number = "", keepers = "", tests = ""]) => ({ number, keepers: quoted(keepers), tests: quoted(tests) })
)

function quoted(text: string): ReadonlyArray<string> {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, words = ""]) => words)
}

it("the files that keep an invariant are there, and so are the tests that it lists, which name it", () => {
  const isFile = (name: string): boolean => /^(\w+\/)*[A-Z]\w*$/.test(name)
  const absent = invariants.flatMap(({ keepers }) =>
    keepers.filter((name) => isFile(name) && !house.some((file) => `/${file}`.endsWith(`/${name}.ts`)))
  )
  expect(absent).toEqual([])
  const names = (file: string, number: string): boolean =>
    existsSync(join(root, file)) && new RegExp(`\\b${number}\\b`).test(read(file))
  const silent = invariants.flatMap(({ number, tests }) =>
    tests.filter((test) => !names(`test/${test}.test.ts`, number)).map((test) => `${number}: ${test}`)
  )
  expect(silent).toEqual([])
  expect(invariants.filter(({ tests }) => tests.length === 0)).toEqual([])
  expect(invariants.map(({ number }) => number)).toEqual(numbers.filter((one) => one.startsWith("I")))
})

it("the lock file knows the builds for every platform, or `npm ci` refuses it: run scripts/lock.mjs", () => {
  const { packages } = JSON.parse(read("package-lock.json"))
  const missing = Object.entries<{ optionalDependencies?: object }>(packages).flatMap(
    ([path, { optionalDependencies }]) =>
      Object.keys(optionalDependencies ?? {}).filter(
        (name) => !(`node_modules/${name}` in packages) && !(`${path}/node_modules/${name}` in packages)
      )
  )
  expect(missing).toEqual([])
})
