import { type ChildProcess, spawn } from 'node:child_process'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { readIntent } from '../../demo/chat/intent.js'
import { toSecondPerson } from '../../demo/chat/phrasing.js'
import { type LaunchedBrowser, launchBrowser } from '../support/chromium.js'

let server: ChildProcess
let browser: LaunchedBrowser
let address: URL
let origins = 0

/** What `npm start` does, on any free port. It prints its address on a line of its own. */
const startDemo = async (env: NodeJS.ProcessEnv = {}): Promise<{ readonly child: ChildProcess; readonly url: URL }> => {
  const child = spawn(process.execPath, ['demo/serve.mjs'], {
    env: { ...process.env, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface(child.stdout))
    if (line.startsWith('http://')) return { child, url: new URL(line) }
  throw new Error('The demo ended without printing its address.')
}

const exited = (child: ChildProcess): Promise<number | null> => new Promise((resolve) => child.once('exit', resolve))

/** Each test has an origin and so a store of its own: browsers take every name under localhost for this machine. */
const freshOrigin = (): string => `http://test-${++origins}.localhost:${address.port}/`

/** On the static table alone: loading a model takes seconds. */
const openDemo = async (origin: string): Promise<Page> => {
  const page = await newPage()
  await page.goto(`${origin}?model=off`)
  return page
}

const newPage = async (): Promise<Page> => {
  const page = await browser.context.newPage()
  page.setDefaultTimeout(10_000)
  return page
}

/** Lets the model's weights wait. Answers with what lets them through. */
const holdBack = async (page: Page): Promise<() => void> => {
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  // A page that was left meanwhile wants no answer.
  await page.route('**/*.onnx', (route) => opened.then(() => route.continue()).catch(() => undefined))
  return open
}

const exchanges = (page: Page): Locator => page.getByRole('region', { name: 'Conversation' }).locator('li.exchange')
const lastReply = (page: Page): Locator => exchanges(page).last().locator('.reply')
const meter = (page: Page): Locator => page.getByRole('region', { name: 'Embedder' })
const used = (reply: Locator): Locator => reply.getByRole('complementary', { name: 'Memories used' })
const memories = (page: Page): Locator => page.getByRole('region', { name: 'Memory', exact: true }).locator('.card')

/** Says a line and waits for the reply to it. */
const say = async (page: Page, line: string): Promise<Locator> => {
  const before = await exchanges(page).count()
  await page.getByLabel('Say or ask something').fill(line)
  await page.keyboard.press('Enter')
  await exchanges(page).nth(before).waitFor()
  await page.locator('.pending').waitFor({ state: 'detached' })
  return lastReply(page)
}

const text = async (locator: Locator): Promise<string> => (await locator.innerText()).replace(/\s+/g, ' ')

beforeAll(async () => {
  const demo = await startDemo()
  server = demo.child
  address = demo.url
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser.close()
  const gone = exited(server)
  server.kill('SIGINT')
  expect(await gone).toBe(0)
})
afterEach(async () => {
  for (const page of browser.context.pages().slice(1)) await page.close()
  expect(browser.errors.splice(0)).toEqual([])
})

test('what is typed is remembered, and later answered with the memory used shown', async () => {
  const page = await openDemo(freshOrigin())
  expect(await text(await say(page, 'I live in Delhi.'))).toContain('user/home')
  await say(page, 'My sister Nora is allergic to peanuts.')

  const answer = await say(page, 'What can Nora not eat?')
  expect(await text(answer.locator('.words'))).toBe('Your sister Nora is allergic to peanuts.')
  expect(await text(used(answer).locator('li.used'))).toMatch(
    /My sister Nora is allergic to peanuts\. .*nora\/allergies\/peanuts.*meaning 0\.\d\d words/,
  )

  await answer.getByText('As a prompt').click()
  await answer.getByText(/As a prompt: \d+ of 300 tokens/).waitFor()
  expect(await text(answer.locator('.packed'))).toMatch(
    /facts 1 .*<memories [0-9a-f]{24}> ## Facts nora\/allergies\/peanuts.* \| My sister Nora/,
  )

  const changed = await say(page, 'I moved to Berlin.')
  expect(await text(changed)).toMatch(/was: I live in Delhi\. now: I moved to Berlin\./)
  const home = memories(page).filter({ hasText: 'user/home' })
  await home.locator('summary').click()
  await home.getByText('2 versions').waitFor()
  expect(
    await home
      .getByRole('list', { name: /Versions/ })
      .locator('.text')
      .allInnerTexts(),
  ).toEqual(['I moved to Berlin.', 'I live in Delhi.'])

  await changed.getByRole('button', { name: 'Undo' }).click()
  await home.locator('.current', { hasText: 'Delhi' }).waitFor()
  expect(await text((await say(page, 'Where do I live?')).locator('.words'))).toBe('You live in Delhi.')
})

test('a contradiction is shown with what it was weighed against, and decided with a button', async () => {
  const page = await openDemo(freshOrigin())
  await say(page, 'The office is open on Sundays.')
  const told = await say(page, 'The office is not open on Sundays.')
  const weighed = told.getByRole('region', { name: 'Weighed against' })
  expect(await text(weighed)).toMatch(
    /The office is open on Sundays\. note\/office-open-sundays 0\.\d\d one denies .* Which holds\?/,
  )
  await memories(page).filter({ hasText: 'contradicted' }).nth(1).waitFor()

  await weighed.getByRole('button', { name: 'The older' }).click()
  await weighed.getByText('This one is not believed any more.').waitFor()
  await memories(page).filter({ hasText: 'contradicted' }).first().waitFor({ state: 'detached' })
  expect(await memories(page).allInnerTexts()).toEqual([expect.stringContaining('The office is open on Sundays.')])

  await say(page, 'The gate is locked at night.')
  const second = (await say(page, 'The gate is never locked at night.')).getByRole('region', { name: 'Weighed against' })
  await second.getByRole('button', { name: 'Both' }).click()
  await second.getByText('Both stand.').waitFor()
  await page.reload()
  await page.getByRole('region', { name: 'Weighed against' }).getByText('Both stand.').waitFor()
})

test('what an update made untrue gives way by itself, and can be brought back', async () => {
  const page = await openDemo(freshOrigin())
  await say(page, 'The team lead is Noor Haddad.')
  const told = await say(page, 'The team lead is Jonas Weber.')
  const weighed = told.getByRole('region', { name: 'Weighed against' })
  await weighed.getByText('The older gave way.').waitFor()
  await memories(page).filter({ hasText: 'Noor' }).waitFor({ state: 'detached' })
  await weighed.getByRole('button', { name: 'Bring it back' }).click()
  await memories(page).filter({ hasText: 'Noor' }).waitFor()
  await weighed.getByText('Both stand.').waitFor()
})

test('what is pinned stays; what goes against it is a proposal that can be accepted', async () => {
  const page = await openDemo(freshOrigin())
  await say(page, 'Ada is allergic to penicillin.')
  const card = memories(page).filter({ hasText: 'penicillin' })
  await card.locator('summary').click()
  await card.getByRole('button', { name: 'Pin' }).click()
  await card.getByText('pinned').waitFor()
  const told = await say(page, 'Ada is not allergic to penicillin.')
  const weighed = told.getByRole('region', { name: 'Weighed against' })
  expect(await text(weighed)).toContain('This is a proposal')
  await weighed.getByRole('button', { name: 'Reject' }).click()
  await weighed.getByText('Rejected.').waitFor()
  expect(await memories(page).count()).toBe(1)
  await card.getByRole('button', { name: 'Unpin' }).click()
  await card.getByText('pinned').waitFor({ state: 'detached' })
})

test('a cursor reads what stood under a key at an earlier time', async () => {
  const page = await openDemo(freshOrigin())
  await say(page, 'I live in Delhi.')
  await say(page, 'I moved to Berlin.')
  const home = memories(page).filter({ hasText: 'user/home' })
  await home.locator('summary').click()
  const cursor = home.getByRole('slider', { name: 'As of' })
  await cursor.focus()
  await page.keyboard.press('Home')
  await home.locator('output', { hasText: 'nothing' }).waitFor()
  await page.keyboard.press('End')
  await home.locator('output', { hasText: 'I moved to Berlin.' }).waitFor()
  const versions = home.getByRole('list', { name: /Versions/ }).locator('time')
  const [berlin, delhi] = await versions.evaluateAll((times) =>
    times.map((time) => Date.parse(time.getAttribute('datetime') ?? '')),
  )
  await cursor.fill(String(((berlin as number) + (delhi as number)) / 2))
  await home.locator('output', { hasText: 'I live in Delhi.' }).waitFor()
  await home.getByRole('combobox', { name: 'Read by' }).selectOption('known then')
  await home.locator('output', { hasText: 'I live in Delhi.' }).waitFor()
})

test('everything is still there after a reload and in a second tab, which follows what the first writes', async () => {
  const origin = freshOrigin()
  const first = await openDemo(origin)
  await say(first, 'My bicycle is green.')
  await first.reload()
  await exchanges(first).locator('.said p').waitFor()
  expect(await exchanges(first).locator('.said p').allInnerTexts()).toEqual(['My bicycle is green.'])

  const second = await openDemo(origin)
  await memories(second).filter({ hasText: 'My bicycle is green.' }).waitFor()
  await second.getByText('Another tab holds the store').waitFor()
  expect(await text(await say(second, 'What colour is my bicycle?'))).toContain('Your bicycle is green.')

  await say(first, 'I play the cello.')
  const cello = memories(second).filter({ hasText: 'I play the cello.' })
  await cello.waitFor()
  await cello.locator('summary').click()
  await cello.getByRole('button', { name: 'Delete' }).click()
  await memories(first).filter({ hasText: 'I play the cello.' }).waitFor({ state: 'detached' })
  await first.getByRole('button', { name: 'Restore' }).click()
  await cello.waitFor()
})

test('two people of one page are kept apart, and what nobody said is not known', async () => {
  const page = await openDemo(freshOrigin())
  await say(page, 'My favourite colour is green.')
  await page.getByRole('button', { name: 'Bob' }).click()
  await page.getByText('Write something worth keeping.').waitFor()
  expect(await memories(page).count()).toBe(0)
  expect(await text(await say(page, 'What is my favourite colour?'))).toContain('I don’t know: nothing I remember fits.')
  await say(page, 'My favourite colour is red.')

  await page.getByRole('button', { name: 'Alice' }).click()
  await memories(page).filter({ hasText: 'green' }).waitFor()
  expect(await text((await say(page, 'What is my favourite colour?')).locator('.words'))).toBe(
    'Your favourite colour is green.',
  )
  expect(await text(await say(page, 'Who won the world cup in 1998?'))).toContain('I don’t know')
})

test('several facts of one line are learned one by one, each with an undo of its own; what is asked beside is answered', async () => {
  const page = await openDemo(freshOrigin())
  await say(page, 'My name is Ana and I live in Porto. I have two dogs.')
  await exchanges(page).nth(2).waitFor()
  expect(await exchanges(page).locator('.said').count()).toBe(1)
  expect((await memories(page).allInnerTexts()).length).toBe(3)
  await exchanges(page).nth(2).getByRole('button', { name: 'Undo' }).click()
  await memories(page).nth(2).waitFor({ state: 'detached' })

  await say(page, 'I moved to Lisbon. Where do I live?')
  expect(await text(exchanges(page).last().locator('.words'))).toBe('You moved to Lisbon.')
  const joke = await say(page, 'If I were rich, I would live in Venice.')
  expect(await text(joke)).toContain('I did not take that for a fact. It says what would be.')
})

test('a language model reads and answers where the server was started with one, and its key is in no page', async () => {
  const asked: { readonly authorization: string | undefined; readonly body: string }[] = []
  const endpoint = createServer((request, response) => {
    let body = ''
    request.on('data', (piece) => {
      body += piece
    })
    request.on('end', () => {
      asked.push({ authorization: request.headers.authorization, body })
      const content = body.includes('claims')
        ? '{"claims":[{"text":"Your home is Porto.","memories":[1]}]}'
        : '{"facts":[{"message":1,"subject":"user","attribute":"home","statement":"I live in Porto."}]}'
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content } }] }))
    })
  })
  await new Promise<void>((ready) => endpoint.listen(0, '127.0.0.1', ready))
  const { port } = endpoint.address() as AddressInfo
  const { child, url } = await startDemo({
    OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
    OPENAI_MODEL: 'parrot-1',
    OPENAI_API_KEY: 'not-for-pages',
  })
  try {
    const page = await newPage()
    const seen: string[] = []
    page.on(
      'response',
      (response) =>
        void response.text().then(
          (body) => seen.push(body),
          () => undefined,
        ),
    )
    await page.goto(`${url.href}?model=off`)
    await page.getByText('parrot-1 reads and answers').waitFor()
    await say(page, 'I live in Porto.')
    const answer = await say(page, 'Where do I live?')
    expect(await text(answer.locator('.words'))).toBe('Your home is Porto.')
    expect(await text(used(answer))).toContain('put into words by parrot-1')
    expect(asked.length).toBeGreaterThan(1)
    expect(new Set(asked.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer not-for-pages']))
    expect(seen.join()).not.toContain('not-for-pages')
    // Other pages do not spend on this one's account.
    expect(await page.evaluate(async () => (await fetch('/llm/chat/completions', { method: 'GET' })).status)).toBe(404)
    const foreign = await fetch(new URL('/llm/chat/completions', url), { method: 'POST', body: '{}' })
    expect(foreign.status).toBe(403)
    browser.errors.splice(0)
  } finally {
    child.kill('SIGINT')
    endpoint.close()
  }
})

test('hostile text is shown as text', async () => {
  const page = await openDemo(freshOrigin())
  const hostile = '<img src=x onerror="document.title=\'owned\'"><b>bold</b>'
  const passed = await say(page, hostile)
  expect(await text(passed)).toContain('It is code.')
  await passed.getByRole('button', { name: 'Keep it as it is' }).click()
  await say(page, 'What is bold?')
  await memories(page).filter({ hasText: hostile }).waitFor()
  await page.getByRole('button', { name: 'Add a person' }).click()
  await page.getByLabel('Name', { exact: true }).fill('<i>Eve</i>')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: '<i>Eve</i>' }).waitFor()
  expect(await page.locator('img, main b:not(.bar b), header i').count()).toBe(0)
  expect(await page.title()).toBe('Palimpsest: a page that remembers')
})

test('the static table answers at once; a pause holds, over a reload too; then MiniLM is loaded and answers', async () => {
  const page = await newPage()
  const letThrough = await holdBack(page)
  await page.goto(freshOrigin())
  await say(page, 'I am afraid of spiders.')
  expect(await text(used(await say(page, 'What am I afraid of?')))).toContain('found with the static table')
  expect(await text(await say(page, 'Which animals scare me?'))).toMatch(/don’t know.*searched with the static table/)
  await meter(page).getByText('MiniLM is loading').waitFor()
  expect(await meter(page).getByRole('progressbar', { name: 'MiniLM' }).count()).toBe(1)

  await meter(page).getByRole('button', { name: 'Pause' }).focus()
  await page.keyboard.press('Enter')
  const resume = meter(page).getByRole('button', { name: 'Resume' })
  await resume.waitFor()
  expect(await resume.evaluate((button) => button === document.activeElement)).toBe(true)

  letThrough()
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await page.reload()
  await meter(page).getByText('MiniLM is paused').waitFor()
  expect(await text(used(await say(page, 'What am I afraid of?')))).toContain('found with the static table')
  expect(requests.filter((url) => /transformers|models/.test(url))).toEqual([])

  await resume.click()
  await meter(page).getByText('Answered by MiniLM').waitFor({ timeout: 45_000 })
  expect(await meter(page).getByRole('button').count()).toBe(0)
  const answer = await say(page, 'Which animals scare me?')
  expect(await text(answer.locator('.words'))).toContain('You are afraid of spiders.')
  expect(await text(used(answer))).toContain('found with MiniLM')
})

test('a cancelled model is not loaded, over a reload too, until somebody wants it', async () => {
  const page = await newPage()
  await holdBack(page)
  await page.goto(freshOrigin())
  await meter(page).getByText('MiniLM is loading').waitFor()
  await meter(page).getByRole('button', { name: 'Cancel' }).click()
  await meter(page).getByText('MiniLM was cancelled').waitFor()
  await say(page, 'I play the cello.')
  expect(await text(used(await say(page, 'What instrument do I play?')))).toContain('found with the static table')

  await page.reload()
  await meter(page).getByText('MiniLM was cancelled').waitFor()
  expect(await text(meter(page))).toContain('Answered by the static table')
  await meter(page).getByRole('button', { name: 'Load it' }).click()
  await meter(page).getByText('MiniLM is loading').waitFor()
})

test('without its files, MiniLM is told to be missing, and the chat goes on', async () => {
  const page = await newPage()
  await page.route('**/models/**', (route) => route.fulfill({ status: 404 }))
  await page.goto(freshOrigin())
  await meter(page).getByText('MiniLM does not answer').waitFor()
  expect(await text(meter(page))).toMatch(/all-MiniLM-L6-v2\/config\.json answers 404\. Run “npm run model:minilm”/)
  await say(page, 'I play the cello.')
  expect(await text(used(await say(page, 'What instrument do I play?')))).toContain('found with the static table')

  await page.unroute('**/models/**')
  const asked = page.waitForRequest('**/*.onnx')
  await holdBack(page)
  await meter(page).getByRole('button', { name: 'Try again' }).click()
  await asked
})

test('a download goes on where it broke off, and nothing outside of the model’s folder is served', async () => {
  const model = new URL('models/all-MiniLM-L6-v2/config.json', address)
  const whole = await (await fetch(model)).text()
  const rest = await fetch(model, { headers: { range: 'bytes=100-' } })
  expect([rest.status, await rest.text()]).toEqual([206, whole.slice(100)])
  expect(rest.headers.get('content-range')).toBe(`bytes 100-${whole.length - 1}/${whole.length}`)
  expect((await fetch(model, { headers: { range: `bytes=${whole.length}-` } })).status).toBe(416)

  const statusOf = (path: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      get({ host: address.hostname, port: address.port, path }, (response) => resolve(response.resume().statusCode)).on(
        'error',
        reject,
      )
    })
  for (const up of ['../../..', '..%2f..%2f..', '%2e%2e/%2e%2e/%2e%2e', '..\\..\\..'])
    expect(await statusOf(`/models/all-MiniLM-L6-v2/${up}/package.json`)).toBe(404)
  expect(await statusOf('/models/all-MiniLM-L6-v2/onnx/')).toBe(404)
  expect(await statusOf('//')).toBe(404)
})

test.each([
  ['I live in Delhi', 'statement'],
  ['When I was young I had a dog.', 'statement'],
  ['What I like most is tea', 'statement'],
  ['Will lives in Rome', 'statement'],
  ['Remember that the bins go out on Tuesday', 'statement'],
  ['where do I live', 'question'],
  ['Do I like tea', 'question'],
  ["what's my name", 'question'],
  ['tell me about Nora', 'question'],
  ['Is the gate locked', 'question'],
  ['What do you know about me?', 'overview'],
  ['forget that I like tea', 'forget'],
  ['undo', 'undo'],
  ['Thanks!', 'talk'],
])('"%s" is taken as: %s', (line, kind) => {
  expect(readIntent(line).kind).toBe(kind)
})

test.each([
  ['I moved to Berlin', 'You moved to Berlin.'],
  ['I am allergic to my own cooking', 'You are allergic to your own cooking.'],
  ["I'm Alice", "You're Alice."],
  ['Nora lives in Iran', 'Nora lives in Iran.'],
])('"%s" is said back as "%s"', (said, told) => {
  expect(toSecondPerson(said)).toBe(told)
})
