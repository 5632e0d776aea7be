/**
 * Completes package-lock.json after `npm install`. If a registry lacks the builds for another platform, npm omits
 * them from the file, and `npm ci` then rejects the file everywhere. An entry with version and platform is enough:
 * npm skips the build here and downloads it on the other platform.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./Installation.mjs"

const file = join(root, "package-lock.json")
const lock = JSON.parse(readFileSync(file, "utf8"))
const systems = {
  win32: "win32",
  darwin: "darwin",
  linux: "linux",
  freebsd: "freebsd",
  android: "android",
  openharmony: "openharmony"
}
const processors = {
  x64: "x64",
  arm64: "arm64",
  arm: "arm",
  ia32: "ia32",
  ppc64: "ppc64",
  riscv64: "riscv64",
  s390x: "s390x"
}
const libraries = { gnu: "glibc", gnueabihf: "glibc", musl: "musl", musleabihf: "musl" }

for (const [path, { dev, optionalDependencies = {} }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    if (lock.packages[`node_modules/${name}`] ?? lock.packages[`${path}/node_modules/${name}`]) continue
    const words = name.split(/[-/]/)
    const matches = (known) => words.filter((word) => word in known).map((word) => known[word])
    const [os, cpu, libc] = [matches(systems), matches(processors), matches(libraries)]
    if (!/^\d+\.\d+\.\d+$/.test(version) || os.length !== 1 || cpu.length !== 1) {
      console.log(`venue: skipped ${name}@${version}: its name does not give system and processor`)
      continue
    }
    const entry = { version, cpu, ...(dev ? { dev } : {}), ...(libc.length > 0 ? { libc } : {}), optional: true, os }
    lock.packages[`node_modules/${name}`] = entry
    console.log(`venue: added ${name}@${version}`)
  }
}

const [own, ...rest] = Object.entries(lock.packages)
lock.packages = Object.fromEntries([own, ...rest.sort(([a], [b]) => a.localeCompare(b, "en"))])
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
