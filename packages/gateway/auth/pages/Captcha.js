/**
 * CAPTCHA widget of the provider, loaded once the service requires it. Turnstile and hCaptcha share the same functions
 * under different names of `window`.
 */
import { Refusal } from "./Sentences.js"

const { captchaAtOnce, captchaGlobal, captchaScript, captchaSiteKey } = document.body.dataset
const section = document.getElementById("captcha")
const place = document.getElementById("captcha-widget")

/** Stays true: the service remembers the network longer than a visit lasts. */
let due = captchaAtOnce === "true"
let loading
let widget
let isBroken = false
/** Token that is not used yet. */
let solved
/** Callbacks of the caller that waits for a token. */
let waiting

export const isDue = () => due

export const demand = () => {
  if (captchaScript === "") throw new Refusal("captcha_not_set_up")
  due = true
}

/** Renders the widget if a CAPTCHA is due, and resets it after an error. */
export const show = async () => {
  if (!due) return
  section.hidden = false
  const api = await load()
  if (widget === undefined) widget = api.render(place, options())
  else if (isBroken) api.reset(widget)
  isBroken = false
}

export const hide = () => {
  section.hidden = true
  if (widget !== undefined) provider().remove(widget)
  widget = undefined
  solved = undefined
}

/** Returns an unused token, or undefined if none is due. Calls `onWait` if the user has to solve the CAPTCHA first. */
export const token = async (onWait) => {
  if (!due) return undefined
  await show()
  if (solved === undefined) {
    onWait()
    section.querySelector("h2").focus()
    await new Promise((resolve, reject) => {
      waiting = { resolve, reject }
    })
  }
  const taken = solved
  solved = undefined
  return taken
}

/** Discards the token: each is valid once, for a few minutes. */
export const startOver = () => {
  solved = undefined
  if (widget !== undefined) provider().reset(widget)
}

const provider = () => window[captchaGlobal]

const options = () => ({
  sitekey: captchaSiteKey,
  theme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
  // Normal widgets are up to 303 px wide.
  size: place.clientWidth < 304 ? "compact" : "normal",
  callback: (token) => {
    solved = token
    isBroken = false
    waiting?.resolve()
  },
  "expired-callback": startOver,
  "error-callback": () => {
    solved = undefined
    isBroken = true
    waiting?.reject(new Refusal("captcha_unavailable"))
    // Marks the error as handled; otherwise Turnstile throws.
    return true
  }
})

/** Loads the script of the provider; a failed load is repeated by the next call. */
const load = () => {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script")
    const failed = () => {
      loading = undefined
      script.remove()
      reject(new Refusal("captcha_unavailable"))
    }
    window.captchaReady = () => resolve(provider())
    script.src = `${captchaScript}?render=explicit&onload=captchaReady`
    script.addEventListener("error", failed)
    // The stub that a content blocker serves in place of the script defines no provider.
    script.addEventListener("load", () => {
      if (provider() === undefined) failed()
    })
    document.head.append(script)
  })
  return loading
}
