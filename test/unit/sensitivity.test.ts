import fc from 'fast-check'
import { expect, test } from 'vitest'
import { passesLuhn, passesMod97 } from '../../src/domain/account-numbers.js'
import { detectSensitivity, higher } from '../../src/domain/sensitivity.js'
import type { JsonValue } from '../../src/schema/scalars.js'

/** Put together here, so that nothing that looks like a key stands in the repository. */
const random = (length: number) => 'aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY'.repeat(8).slice(0, length)

const HIGH: readonly (readonly [value: JsonValue, key?: string])[] = [
  // Keys and tokens of known shapes.
  [`The AWS key is ${'AKIA'}IOSFODNN7EXAMPLE`],
  [`sk-${random(40)}`],
  [`use ${'sk-ant'}-api03-${random(40)} for it`],
  [`${'sk_live'}_${random(24)}`],
  [`${'ghp'}_${random(36)}`],
  [`token ${'github_pat'}_${random(60)}`],
  [`${'glpat'}-${random(20)}`],
  [`${'xoxb'}-123456789012-${random(24)}`],
  [`${'AIza'}${random(35)}`],
  [`${'npm'}_${random(36)}`],
  [`${'hf'}_${random(34)}`],
  [`${'SG'}.${random(22)}.${random(43)}`],
  [`${'eyJ'}hbGciOiJIUzI1NiJ9.${'eyJ'}zdWIiOiIxMjM0NTY3ODkwIn0.${random(43)}`],
  [`Authorization: Bearer ${random(40)}`],
  [`-----BEGIN RSA ${'PRIVATE'} KEY-----\nMIIEow…`],
  [`-----BEGIN ${'PRIVATE'} KEY-----`],
  [`-----BEGIN OPENSSH ${'PRIVATE'} KEY-----`],
  ['postgres://admin:s3cret@db.example.com/app'],
  // Stated as such.
  ['The password is hunter2.'],
  ['My password is swordfish.'],
  ['password: correct-horse'],
  ['The Wi-Fi password for the guest network is Blue-Heron-42.'],
  ['His password is "weak"'],
  ['I use hunter22 as my password'],
  ['log in with the password hunter2!'],
  ['Das Passwort lautet Sommer2024'],
  ['La contraseña es gato123'],
  ['пароль: qwerty99'],
  ['密码是 abc12345'],
  [`API key: ${random(20)}`],
  [`client_secret=${random(32)}`],
  [`The access token is ${random(24)}`],
  [{ user: 'ana', password: 'hunter2' }],
  ['hunter2', 'user/wifi/password'],
  [`${random(32)}`, 'project/stripe/api-key'],
  [4711, 'user/card/pin'],
  // Card numbers.
  ['4111 1111 1111 1111'],
  ['Her card is 5555-5555-5555-4444.'],
  ['378282246310005'],
  ['3782 822463 10005'],
  ['6011111111111117'],
  ['The order was paid with the card 4242424242424242'],
  [4012888888881881],
  ['The cvv is 123'],
  // Social security numbers.
  ['219-09-9999'],
  ['My SSN is 078 05 1120'],
  ['social security number: 219099999'],
  // PINs.
  ['My PIN is 4711'],
  ['The pin for the garage is 0042.'],
  ['pin: 123456'],
  ['PIN 9876'],
]

const MEDIUM: readonly (readonly [value: JsonValue, key?: string])[] = [
  ['Write to ana.silva@example.com.'],
  ['Her e-mail is ana+news@mail.example.co.uk'],
  [{ mail: 'jörg@bücher.example' }],
  ['Call +49 30 901820'],
  ['+1 (415) 555-2671'],
  ['+351 912 345 678'],
  ['(415) 555-2671'],
  ['415-555-2671'],
  ['Her phone number is 030 1234567.'],
  ['mobile: 0171/2345678'],
  ['The account is DE89 3704 0044 0532 0130 00.'],
  ['GB82WEST12345698765432'],
  ['IBAN: FR14 2004 1010 0505 0001 3M02 606 at the bank'],
  ['030 1234567', 'user/phone'],
]

const NONE: readonly (readonly [value: JsonValue, key?: string])[] = [
  ['The user lives in Berlin.'],
  // Begins as an account number does, of a country that has none.
  ['The ticket is QQ12 3456 7890 1234 567, as it says.'],
  ['The server listens on port 5432.'],
  ['The meeting is on 2026-03-01 at 09:00.'],
  ['2026-03-01T09:00:00+02:00'],
  ['Order 4111111111111111 has shipped.'],
  ['tracking number: 4012888888881881'],
  ['order id 219-09-9999'],
  ['1700000000000'],
  [1700000000000],
  ['The build took 1234567890123456 nanoseconds.'],
  ['4111 1111 1111 1112'],
  ['4006381333931'],
  ['ISBN 978-3-16-148410-0'],
  ['The IMEI is 490154203237518'],
  ['3.14159265358979'],
  ['version 1.2.3-4567'],
  ['192.168.100.200'],
  ['f47ac10b-58cc-4372-a567-0e02b2c3d479'],
  ['01ARZ3NDEKTSV4RRFFQ69G5FAV'],
  ['e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['The password is too short.'],
  ['The password is weak.'],
  ['My password is expired.'],
  ['The password was changed on 2026-01-05.'],
  ['The password is stored in the vault.'],
  ['The password must have 12 characters.'],
  ['The password is at least 12 characters long.'],
  ['The user forgot her password.'],
  ['Passwords are hashed with argon2id.'],
  ['password: required'],
  ['password: <your password>'],
  ['password: ********'],
  ['password sha256 hashing is not enough'],
  ['The API key is missing.'],
  ['The token is expired.'],
  ['The token limit is 128000.'],
  ['access token: string'],
  ['A secret key of success is patience.'],
  ['sk-learn is a library for machine learning'],
  ['The bearer of internationalization-friendly news'],
  ['GPIO pin 13 is high.'],
  ['pin the tab 2024'],
  ['The PIN code of the area is 560001.'],
  ['She spins 4711 times.'],
  ['He earns 100,000 a year.'],
  ['+10 %'],
  ['5 + 3 = 8'],
  ['It costs 1 234 567 890 yen.'],
  ['page 123-45'],
  ['ratio 16-9-2024'],
  ['icon@2x.png'],
  ['git@github.com:lib/core.git'],
  ['react@18.2.0 and @types/node@20.1.1'],
  ['follow @ana on the fediverse'],
  ['The room is 415-555.'],
  ['DE89 is not an account number.'],
  ['GB82 WEST 1234 5698 7654 33'],
  ['https://example.com/a?x=1'],
  ['https://example.com:8443/path@2x'],
  ['42', 'user/age'],
  ['dark mode', 'user/theme'],
  ['passwordless sign-in is on'],
]

const shown = ([value, key]: readonly [JsonValue, string?]) => `${key ?? ''} ${JSON.stringify(value)}`

test.each(HIGH.map((example) => [shown(example), example] as const))('high: %s', (_, [value, key]) => {
  expect(detectSensitivity(value, key)).toBe('high')
})

test.each(MEDIUM.map((example) => [shown(example), example] as const))('medium: %s', (_, [value, key]) => {
  expect(detectSensitivity(value, key)).toBe('medium')
})

test.each(NONE.map((example) => [shown(example), example] as const))('none: %s', (_, [value, key]) => {
  expect(detectSensitivity(value, key)).toBe('none')
})

test('the more careful of two wins', () => {
  expect(higher('none', 'medium')).toBe('medium')
  expect(higher('high', 'medium')).toBe('high')
  expect(higher('none', 'none')).toBe('none')
})

const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9]{${length}}$`))
const checkDigit = (payload: string) => [...'0123456789'].find((digit) => passesLuhn(payload + digit)) as string

test('any card number of an issuer is found, however it is grouped, and not with another check digit', () => {
  fc.assert(
    fc.property(digits(14), fc.constantFrom('', ' ', '-'), fc.integer({ min: 1, max: 9 }), (rest, gap, off) => {
      fc.pre(!/^4+$/.test(rest))
      const payload = `4${rest}`
      const digit = checkDigit(payload)
      const written = (number: string) => (number.match(/.{4}/g) ?? []).join(gap)
      expect(detectSensitivity(`It is ${written(payload + digit)}.`)).toBe('high')
      expect(detectSensitivity(`It is ${written(`${payload}${(Number(digit) + off) % 10}`)}.`)).toBe('none')
    }),
  )
})

test('account numbers pass their check only as they are', () => {
  fc.assert(
    fc.property(digits(18), (account) => {
      const checked = Array.from({ length: 97 }, (_, i) => `DE${String(i + 2).padStart(2, '0')}${account}`)
      const valid = checked.filter(passesMod97)
      expect(valid).toHaveLength(1)
      expect(detectSensitivity(valid[0] as string)).toBe('medium')
    }),
    { numRuns: 30 },
  )
})

test('plain words and small numbers are never sensitive', () => {
  fc.assert(
    fc.property(fc.lorem({ maxCount: 40 }), fc.integer({ min: 0, max: 99_999 }), (words, number) => {
      expect(detectSensitivity(`${words} ${number}`)).toBe('none')
    }),
  )
})

test('long hostile texts are looked through without getting stuck', () => {
  const texts = [
    'password '.repeat(20_000),
    '4'.repeat(190_000),
    '1 '.repeat(90_000),
    'a@'.repeat(90_000),
    '+1 '.repeat(60_000),
  ]
  const more = [
    'a'.repeat(190_000),
    'token of '.repeat(20_000),
    'sk-'.repeat(60_000),
    '(415) '.repeat(30_000),
    'eyJ'.repeat(60_000),
  ]
  for (const text of [...texts, ...more, 'x.'.repeat(90_000), '-'.repeat(190_000), 'DE89 '.repeat(38_000)])
    expect(detectSensitivity(text)).toBe('none')
})
