/** A dev app's operator interface. */
import type { DevFile } from "./DevApp.ts"

/** Returns a function that sends a request with the operator's token and throws if the request fails. */
export const of =
  (file: DevFile) =>
  async (method: "GET" | "POST", path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`${file.urls.admin}${path}`, {
      method,
      headers: { authorization: `Bearer ${file.admin_token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
