/** Types of the part of the generated client that the tests use, because the package has no types. */
declare module "swagger-client" {
  interface Execution {
    readonly operationId: string
    readonly parameters?: Readonly<Record<string, unknown>>
    readonly requestBody?: unknown
    readonly securities?: { readonly authorized: Readonly<Record<string, unknown>> }
  }
  interface Client {
    readonly errors: ReadonlyArray<unknown>
    /** Fails with the response as `response` if the status is not a success. */
    // oxlint-disable-next-line typescript/no-explicit-any
    readonly execute: (execution: Execution) => Promise<{ readonly status: number; readonly body: any }>
  }
  export default function make(options: { readonly url: string }): Promise<Client>
}
