/** Views and buttons of the page. Tokens are only in the memory of this module. */
import * as captcha from "./Captcha.js"
import { authorizationOf, decide, signIn, signOut, checksummed, verify } from "./Service.js"
import { Refusal, scopeInWords, sentenceOf } from "./Sentences.js"
import { hexOf, prove, watch } from "./Wallets.js"

const { serviceName, uri } = document.body.dataset
const authorizationId = new URLSearchParams(location.search).get("authorization_id")
let session

const element = (id) => document.getElementById(id)
const views = element("views")
const status = element("status")

const showStatus = (sentence, kind = "") => {
  status.textContent = sentence
  status.className = kind
}

/** Shows one view, and moves the focus to its heading for screen readers. */
const show = (id) => {
  for (const view of views.children) view.hidden = view.id !== id
  if (id === "wallets") showCaptcha()
  else captcha.hide()
  const heading = element(id).querySelector("h1")
  document.title = `${heading.textContent} · ${serviceName}`
  heading.focus()
}

const showCaptcha = () => captcha.show().catch((error) => showStatus(sentenceOf(error), "refused"))

/** Returns an event handler that runs one action at a time and shows its error. */
const action = (work) => async (event) => {
  event.preventDefault()
  if (views.ariaBusy === "true") return
  views.ariaBusy = "true"
  showStatus("")
  try {
    await work()
  } catch (error) {
    if (signedOut.has(error.code)) forget()
    if (unanswerable.has(error.code)) showAccount()
    showStatus(sentenceOf(error), "refused")
  }
  views.ariaBusy = "false"
}

const signedOut = new Set([
  "bad_jwt",
  "session_not_found",
  "mfa_factor_not_found",
  "insufficient_aal",
  "reauthentication_needed"
])
const unanswerable = new Set(["not_found", "oauth_authorization_not_found", "authorization_decided"])

const forget = () => {
  session = undefined
  show("wallets")
}

const messageOf = async (account, chainId) => {
  const { address, now } = await checksummed(account)
  return [
    `${location.host} wants you to sign in with your Ethereum account:`,
    address,
    "",
    `Sign in to ${serviceName}`,
    "",
    `URI: ${uri}`,
    "Version: 1",
    `Chain ID: ${chainId}`,
    `Nonce: ${hexOf(crypto.getRandomValues(new Uint8Array(16)))}`,
    `Issued At: ${now}`
  ].join("\n")
}

const enter = async (provider) => {
  showStatus("Confirm in your wallet.")
  const proof = await prove(provider, messageOf)
  session = await signInAsHuman(proof)
  showStatus("")
  const factors = session.user.factors.filter(({ status }) => status === "verified")
  return factors.length > 0 ? askCode(factors) : proceed()
}

/** Signs in. A missing CAPTCHA does not consume the signed message, so it is sent again with a token. */
const signInAsHuman = async (proof) => {
  const attempt = async () => {
    const token = await captcha.token(() => showStatus("Now confirm that you are human."))
    showStatus("Signing in.")
    return signIn(proof, token).catch((error) => {
      captcha.startOver()
      throw error
    })
  }
  try {
    return await attempt()
  } catch (error) {
    if (error.code !== "captcha_failed" || captcha.isDue()) throw error
    captcha.demand()
    return attempt()
  }
}

const askCode = (factors) => {
  element("factor-id").replaceChildren(
    ...factors.map(({ friendly_name, id }, at) => new Option(friendly_name || `Authenticator ${at + 1}`, id))
  )
  element("factor-choice").hidden = factors.length === 1
  show("factor")
  element("code").focus()
}

const enterCode = async () => {
  const field = element("code")
  const code = field.value.replaceAll(/\s/g, "")
  field.value = ""
  field.focus()
  session = await verify(session, element("factor-id").value, code)
  const left = session.recovery_codes_left
  if (left !== undefined) showStatus(`You used a recovery code, which will not work again. You have ${left} left.`)
  await proceed()
}

const proceed = () => (authorizationId === null ? showAccount() : openAuthorization())

const showAccount = () => {
  showWallet()
  element("user").textContent = session.user.id
  show("account")
}

const showWallet = () => {
  for (const place of document.querySelectorAll(".wallet")) place.textContent = session.user.user_metadata.address
}

const openAuthorization = async () => {
  const request = await authorizationOf(session, authorizationId)
  if (request.redirect_url !== undefined) return leaveTo(request.redirect_url)
  showWallet()
  for (const place of document.querySelectorAll(".application")) place.textContent = request.client.name
  element("return").textContent = new URL(request.redirect_uri).host
  element("scopes").replaceChildren(...request.scope.split(" ").map((scope) => item(scopeInWords(scope))))
  showLogo(request.client.logo_uri)
  show("consent")
}

const item = (content) => {
  const listItem = document.createElement("li")
  listItem.append(content)
  return listItem
}

const showLogo = (uri) => {
  const logo = element("logo")
  if (!uri?.startsWith("https://")) return
  logo.addEventListener("load", () => {
    logo.hidden = false
  })
  logo.src = uri
}

const answer = async (action) => leaveTo((await decide(session, authorizationId, action)).redirect_url)

/** Ends the page's session, then opens the URL. Never returns, so that buttons do nothing meanwhile. */
const leaveTo = async (url) => {
  if (!/^https?:$/.test(new URL(url).protocol)) throw new Refusal("redirect_refused")
  await signOut(session).catch(() => {})
  location.assign(url)
  return new Promise(() => {})
}

const leave = async () => {
  await signOut(session)
  forget()
  showStatus("You are signed out.")
}

const onClick = (button, work) => button.addEventListener("click", action(work))

const offer = ({ name, provider }) => {
  const button = document.createElement("button")
  button.type = "button"
  button.textContent = `Continue with ${name}`
  onClick(button, () => enter(provider))
  element("wallet-list").append(item(button))
}

const start = () => {
  element("factor").addEventListener("submit", action(enterCode))
  onClick(element("approve"), () => answer("approve"))
  onClick(element("deny"), () => answer("deny"))
  for (const button of document.querySelectorAll(".sign-out")) onClick(button, leave)
  // A page restored from the back-forward cache would still hold its old state.
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) location.reload()
  })
  element("reason").hidden = authorizationId === null
  element("wallets").hidden = false
  showCaptcha()
  watch(offer)
}

// The wallet and the service compare the address of the message with the page, and refuse at another address.
if (location.origin + location.pathname === uri) start()
else showStatus(`This page works only at ${uri}. Open it there.`, "refused")
