/** What the documents say is there. */
import { expect, it } from "vitest"
import { existsSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { documents, files, find, read, root } from "./Files.ts"

/** The changelog is left out: it names what was there at the time. */
const present = documents.filter((document) => document !== "CHANGELOG.md")

const places = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/`((?:packages|cluster|apps|test|scripts|docs)\/[\w./-]*)`/g)].map(([, place = ""]) => place)

const isThere = (place: string): boolean => existsSync(join(root, place))

/** Files that a text names without their rooms, as it does after it has named the room. */
const namedAlone = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/`([A-Z]\w*(?:\.test)?\.ts)`/g)].map(([, name = ""]) => name)

it("the places and files that the documents name exist", () => {
  const names = new Set(files.map((file) => basename(file)))
  const absent = present.flatMap((document) => {
    const text = read(document)
    return [
      ...places(text).filter((place) => !isThere(place) && !isThere(`test/${place}.test.ts`)),
      ...namedAlone(text).filter((name) => !names.has(name))
    ].map((name) => `${document}: ${name}`)
  })
  expect(absent).toEqual([])
})

it("a place or a file that is not there would be found", () => {
  expect(places("`docs/design/rules/README.md`, `packages/none/` and `Nobody.ts`")).toEqual([
    "docs/design/rules/README.md",
    "packages/none/"
  ])
  expect(namedAlone("`docs/design/rules/README.md`, `Nobody.ts` and `Nobody.test.ts`")).toEqual([
    "Nobody.ts",
    "Nobody.test.ts"
  ])
})

it("the README says where every room and app is", () => {
  const [, map = ""] = read("README.md").split("## Where things are")
  const folders = [...find("packages/*/", "apps/*/"), "cluster", "scripts", "test", "deploy"].map((name) =>
    name.replace(/\/?$/, "/")
  )
  expect(folders.filter((folder) => !map.includes(`\`${folder}\``))).toEqual([])
})

it("the places within documents that a link leads to exist", () => {
  const anchors = new Map(present.map((document) => [document, new Set(headings(read(document)).map(anchorOf))]))
  const lost = present.flatMap((document) =>
    [...read(document).matchAll(/\]\(([\w./-]*)#([\w-]+)\)/g)]
      .filter(
        ([, other = "", anchor = ""]) =>
          anchors.get(join(dirname(document), other || basename(document)))?.has(anchor) !== true
      )
      .map(([link]) => `${document}: ${link}`)
  )
  expect(lost).toEqual([])
})

const headings = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, words = ""]) => words)

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, "")
    .replaceAll(" ", "-")
