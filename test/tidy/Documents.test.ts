/** Files, folders, links and tables in the documents. */
import { expect, it } from "vitest"
import { existsSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { documents, files, find, read, root } from "./Files.ts"

/** The changelog is exempt, because it names files that existed at its time. */
const present = documents.filter((document) => document !== "CHANGELOG.md")

const places = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/`((?:packages|cluster|apps|test|scripts|docs)\/[\w./-]*)`/g)].map(([, place = ""]) => place)

const isThere = (place: string): boolean => existsSync(join(root, place))

/** Returns files that a text names without their folder. */
const namedAlone = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/`([A-Z]\w*(?:\.test)?\.ts)`/g)].map(([, name = ""]) => name)

it("documents name only files and folders that exist", () => {
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

it("detects a document that names a missing folder or file", () => {
  expect(places("`docs/design/rules/README.md`, `packages/none/` and `Nobody.ts`")).toEqual([
    "docs/design/rules/README.md",
    "packages/none/"
  ])
  expect(namedAlone("`docs/design/rules/README.md`, `Nobody.ts` and `Nobody.test.ts`")).toEqual([
    "Nobody.ts",
    "Nobody.test.ts"
  ])
})

it("the README lists every package and app", () => {
  const [, map = ""] = read("README.md").split("## Where things are")
  const folders = [...find("packages/*/", "apps/*/"), "cluster", "scripts", "test", "deploy"].map((name) =>
    name.replace(/\/?$/, "/")
  )
  expect(folders.filter((folder) => !map.includes(`\`${folder}\``))).toEqual([])
})

/** Links of the documents and of the pages beside the tests. Code blocks are not checked. */
const linking = [...documents, ...find("test/**/*.md")]
const prose = (text: string): string => text.replaceAll(/^ *```[^]*?^ *```/gm, "")
const links = (text: string): ReadonlyArray<readonly [target: string, anchor: string | undefined]> =>
  [...prose(text).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(([, target = "", anchor]) => [
    target,
    anchor
  ])

/** Returns a document's links that lead to no file or to no heading. */
const broken = (document: string, text: string): ReadonlyArray<string> =>
  links(text)
    .filter(([target, anchor]) => {
      const path = join(dirname(document), target)
      if (target !== "" && !isThere(path)) return true
      const page = target === "" ? text : anchor === undefined ? "" : read(path)
      return anchor !== undefined && !headings(page).map(anchorOf).includes(anchor)
    })
    .map(([target, anchor]) => (anchor === undefined ? target : `${target}#${anchor}`))

it("documents link only to files and headings that exist", () => {
  expect(linking.flatMap((file) => broken(file, read(file)).map((link) => `${file}: ${link}`))).toEqual([])
})

it("detects a link to a missing file or heading", () => {
  const text =
    "## A b, `c`\n[1](#a-b-c) [2](../LICENSE) [3](#none) [4](none.md) [5](../README.md#none) [6](https://none)"
  expect(broken("docs/Any.md", text)).toEqual(["#none", "none.md", "../README.md#none"])
})

it("every page has at most 400 lines, and its folder's index links to it", () => {
  const pages = find("docs/**/*.md").filter((page) => basename(page) !== "README.md")
  const unlinked = pages.filter((page) => {
    const index = join(dirname(page), "README.md")
    return !isThere(index) || !links(read(index)).some(([target]) => target === basename(page))
  })
  expect(unlinked).toEqual([])
  expect(present.filter((page) => read(page).trimEnd().split("\n").length > 400)).toEqual([])
})

/** Returns table cells with more than 25 words. Only the text of a link counts. */
const longCells = (text: string): ReadonlyArray<string> =>
  prose(text)
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .flatMap((line) => line.replaceAll(/\]\([^)]*\)/g, "]").split(/(?<!\\)\|/))
    .filter((cell) => cell.split(/\s+/).filter((word) => /\w/.test(word)).length > 25)

it("table cells have at most 25 words", () => {
  const pages = find("*.md", "docs/**/*.md").filter((page) => page !== "CHANGELOG.md")
  expect(pages.flatMap((page) => longCells(read(page)).map((cell) => `${page}: ${cell}`))).toEqual([])
  expect(longCells(`| ${"word ".repeat(25)}| ${"word ".repeat(26)}|`)).toHaveLength(1)
})

const headings = (text: string): ReadonlyArray<string> =>
  [...prose(text).matchAll(/^#+ (.+)$/gm)].map(([, words = ""]) => words)

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, "")
    .replaceAll(" ", "-")

/** Returns the number of the newest release in a changelog. */
const newestRelease = (changelog: string): string | undefined => /^## (\d+\.\d+\.\d+) – /m.exec(changelog)?.[1]

it("the version is the newest release in the changelog", () => {
  expect(newestRelease(read("CHANGELOG.md"))).toBe(JSON.parse(read("package.json")).version)
})

it("unreleased changes are not a release", () => {
  expect(newestRelease("## Unreleased\n\n## 0.2.0 – 2026-12-01\n\n## 0.1.0 – 2026-11-27\n")).toBe("0.2.0")
})
