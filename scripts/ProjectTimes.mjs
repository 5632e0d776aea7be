/** Vitest reporter that prints one line per project with its files, tests and seconds. */

export default class ProjectTimes {
  #projects = new Map()

  onTestModuleStart({ project }) {
    const now = performance.now()
    const { startedAt } = this.#projects.get(project.name) ?? { startedAt: now }
    this.#projects.set(project.name, { startedAt, endedAt: now })
  }

  onTestModuleEnd({ project }) {
    const times = this.#projects.get(project.name)
    if (times !== undefined) times.endedAt = performance.now()
  }

  onTestRunEnd(modules) {
    for (const [name, { endedAt, startedAt }] of this.#projects) {
      const own = modules.filter(({ project }) => project.name === name)
      const tests = own.reduce((sum, module) => sum + [...module.children.allTests()].length, 0)
      const seconds = Math.round((endedAt - startedAt) / 1000)
      console.log(`venue: project ${name}: ${own.length} files, ${tests} tests, ${seconds} s`)
    }
  }
}
