/** Words by which a number is something else than what its digits would allow. */
const OTHER_NUMBER =
  /(?:\b(?:orders?|tracking|invoice|shipment|parcel|ticket|serial|imei|isbn|ean|upc|sku|reference|ref|transaction|part|model|case|id|uuid|hash|build|timestamp|version|pid)\b|#)[\s:#.]*(?:no\.?|nr\.?|numbers?|id|code)?[\s:#]*(?:is|was)?[\s:#]*$/iu

const isOtherNumber = (text: string, at: number): boolean => OTHER_NUMBER.test(text.slice(Math.max(0, at - 40), at))

const CARD =
  /(?<![\p{L}\p{N}_.,/-])(?:\d{4}([ -])\d{4}\1\d{4}\1\d{4}|\d{4}([ -])\d{6}\2\d{4,5}|\d{14,16}|\d{19})(?![\p{L}\p{N}_/-]|[.,]\d)/gu
/** What cards begin with, by length: numbers of machines mostly begin with something else. */
const ISSUERS: Readonly<Record<number, RegExp>> = {
  14: /^3(?:0[0-5]|[689])/u,
  15: /^3[47]/u,
  16: /^(?:4|5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|6(?:011|4[4-9]|5|2)|35(?:2[89]|[3-8]))/u,
  19: /^(?:4|6)/u,
}
const CARD_WORD = /\b(?:card|visa|mastercard|amex|american express|discover|credit|debit|kreditkarte|tarjeta|carte)\b/iu

/** Whether a text holds the number of a payment card: of an issuer's range, and with the right check digit. */
export const holdsCardNumber = (text: string): boolean =>
  [...text.matchAll(CARD)].some(({ 0: found, index }) => {
    const digits = found.replace(/\D/gu, '')
    const isCard = ISSUERS[digits.length]?.test(digits) === true && !/^(\d)\1+$/u.test(digits) && passesLuhn(digits)
    return isCard && (!isOtherNumber(text, index) || CARD_WORD.test(text))
  })

/** The check of ISO 7812: every second digit from the right doubled. */
export const passesLuhn = (digits: string): boolean => {
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i])
    const doubled = i % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

const SSN = '(?!000|666|9)\\d{3}(?<gap>[- ]?)(?!00)\\d{2}\\k<gap>(?!0000)\\d{4}(?![\\p{L}\\p{N}]|-\\d)'
const BARE_SSN = new RegExp(`(?<![\\p{L}\\p{N}.,/-])${SSN.replace('[- ]?', '-')}`, 'gu')
const NAMED_SSN = new RegExp(`(?:\\bssn\\b|\\bsocial security\\b)[^\\d\\n]{0,40}${SSN}`, 'iu')

/** Whether a text holds a US social security number: written with hyphens, or named so. */
export const holdsSocialSecurityNumber = (text: string): boolean =>
  NAMED_SSN.test(text) || [...text.matchAll(BARE_SSN)].some(({ index }) => !isOtherNumber(text, index))

const DIGITS_END = '(?![\\p{L}\\p{N}]|[-/.,:]\\d)'
const STATED_PIN = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:pin|tan)(?<postal>[ -]?codes?)?(?: ?(?:numbers?|no\\.?))?(?:\\s+(?:for|of|to|on)\\s+[^.:=\\n]{1,60}?)?(?:\\s*[:=]\\s*|\\s+(?:is|was|ist|lautet)\\s+)["'“]?(?<digits>\\d{4,8})${DIGITS_END}`,
  'giu',
)
const NAMED_PIN = new RegExp(`(?<![\\p{L}\\p{N}])(?:PIN|[Pp]in code)\\s+\\d{4,8}${DIGITS_END}`, 'u')
const CARD_CODE = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:cvv2?|cvc2?|card security code)\\s*(?:is|:|=)?\\s*\\d{3,4}${DIGITS_END}`,
  'iu',
)
/** In India a PIN code is a part of the address. */
const POSTAL =
  /\b(?:area|city|post|postal|address|district|zip|delivery|india|bangalore|bengaluru|mumbai|delhi|chennai|pune)\b/iu

/** Whether a text states a personal number: a PIN, or the code of a card. */
export const holdsPin = (text: string): boolean =>
  CARD_CODE.test(text) ||
  (NAMED_PIN.test(text) && !POSTAL.test(text)) ||
  [...text.matchAll(STATED_PIN)].some(
    ({ groups }) => !(groups?.['postal'] !== undefined && groups['digits']?.length === 6 && POSTAL.test(text)),
  )

const INTERNATIONAL =
  /(?<![\p{L}\p{N}.+])\+[1-9]\d{0,2}[ .-]?(?:\(?\d{1,4}\)?[ ./-]?){1,5}\d{2,4}(?![\p{L}\p{N}]|[.,:]\d|\s?(?:%|€|\$|£|EUR|USD|GBP))/gu
const NORTH_AMERICAN =
  /(?<![\p{L}\p{N}.,/+-])(?:1[-. ])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}([-.]))[2-9]\d{2}[-. ]\d{4}(?![\p{L}\p{N}]|[-.,:]\d)/gu
const NAMED =
  /(?<!\p{L})(?:phone|mobile|cell|cellphone|tel|telephone|telefon|handy|handynummer|whatsapp|fax|móvil|téléphone|telefone|call (?:me|him|her|them|us)|text (?:me|him|her|them|us))(?: ?(?:number|no\.?|nummer))?(?!\p{L})[^\d\n]{0,30}(?<number>[(\d][\d ()./-]{5,22}\d)(?![\p{L}\p{N}]|[.,:]\d)/giu

/** Whether a text holds a phone number: in international form, in the North American one, or named so. */
export const holdsPhoneNumber = (text: string): boolean =>
  [...text.matchAll(INTERNATIONAL)].some(({ 0: found }) => hasDigits(found, 8, 15)) ||
  [...text.matchAll(NORTH_AMERICAN)].some(({ index }) => !isOtherNumber(text, index)) ||
  [...text.matchAll(NAMED)].some(({ groups }) => isDialled(groups?.['number'] ?? ''))

const hasDigits = (text: string, least: number, most: number): boolean => {
  const { length } = text.replace(/\D/gu, '')
  return length >= least && length <= most
}

/** Seven digits at least, and no date. */
const isDialled = (number: string): boolean =>
  hasDigits(number, 7, 15) && !/^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4})$/u.test(number.trim())

/** Length of an account number by country. */
const IBAN_LENGTHS: ReadonlyMap<string, number> = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18 FR27 GB22 GE22 ' +
    'GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 ' +
    'MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 ' +
    'VG24 XK20'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
)

const IBAN = /(?<![\p{L}\p{N}])[A-Z]{2}\d{2}(?=[ A-Z0-9]{11})/giu

/** Whether a text holds an international bank account number, as ISO 13616 checks it. */
export const holdsIban = (text: string): boolean =>
  [...text.matchAll(IBAN)].some(({ 0: start, index }) => {
    const length = IBAN_LENGTHS.get(start.slice(0, 2).toUpperCase())
    if (length === undefined) return false
    const found = new RegExp(`^(?:[A-Z0-9] ?){${length - 1}}[A-Z0-9](?![A-Z0-9])`, 'iu').exec(text.slice(index, index + 50))
    return found !== null && passesMod97(found[0].replace(/ /gu, '').toUpperCase())
  })

/** The check of ISO 7064: the number with its first four characters last, letters as 10 to 35, leaves 1. */
export const passesMod97 = (iban: string): boolean => {
  let rest = 0
  for (const sign of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(sign, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}
