import { keySegment } from '../mint-key.js'
import type { FactKind, Reader, Reading } from './found.js'
import { plainFact } from './plain-fact.js'
import { speakerSegment } from './subject.js'

/** A third of its letters are Chinese characters. */
export const isChinese = (text: string): boolean => {
  const han = text.match(/\p{Script=Han}/gu)?.length ?? 0
  return han >= 2 && han * 3 >= (text.match(/\p{L}/gu)?.length ?? 0)
}

const FORMS: readonly (readonly [kind: FactKind, attribute: string, says: RegExp, isSingle: boolean])[] = [
  ['name', 'name', /^我(?:的名字)?(?:叫|是叫)(?<o>[\p{L}·]{1,20})/u, true],
  ['age', 'age', /^我(?:今年)?(?<o>\d{1,3}|[一二三四五六七八九十百]{1,4})岁/u, true],
  ['birthday', 'birthday', /^我的生日(?:是|在)(?<o>.+)/u, true],
  ['home', 'home', /^我(?:现在|目前|已经)?(?:住在|搬到了?|搬去了?|定居在)(?<o>.+)/u, true],
  ['origin', 'origin', /^我(?:来自|是从)(?<o>.+)/u, true],
  ['work', 'employer', /^我(?:现在|目前)?在(?<o>.{1,20})(?:工作|上班)/u, true],
  ['allergy', 'allergies', /^我对(?<o>.{1,20})过敏/u, false],
  ['diet', 'diet', /^我(?:是|吃)(?<o>素食者|素食|纯素|素)/u, true],
  ['taste', 'tastes', /^我(?:很|非常|最|更|不太|不)?(?:喜欢|爱|讨厌|偏好)(?<o>.+)/u, false],
  ['pet', 'pets', /^我(?:有|养了?)(?<o>.{0,6}(?:狗|猫|鸟|鱼|兔子|仓鼠).*)/u, false],
  ['family', 'family', /^我有(?<o>.{0,6}(?:孩子|儿子|女儿|哥哥|弟弟|姐姐|妹妹).*)/u, false],
  ['contact', 'contact', /^我的(?<o>电话|手机号?|邮箱|地址|微信).{0,4}(?:是|为|：|:).+/u, false],
  ['decision', 'decisions', /^(?:我|我们)?(?:已经)?决定(?<o>.+)/u, false],
  ['commitment', 'commitments', /^(?:我|我们)(?:承诺|保证|答应|会|将)(?<o>.+)/u, false],
]
const THIRD =
  /^(?<who>\p{Lu}[\p{Script=Latin}' -]*[\p{Script=Latin}])\s*(?:强烈|更|非常|很|不)?(?<o>(?:喜欢|讨厌|住在|偏好|决定|在.+工作|过敏).+)/u
const NO_FACT = /[?？]\s*$|[吗呢]\s*[?？]?\s*$|^(?:如果|假如|要是|请|帮我|能不能|你能|可以|假设|想象)|(?:开玩笑)/u

/** The plainest statements in Chinese, in either script. */
export const readChinese = (text: string, speaker: string | null, isAsked: boolean, reader: Reader): Reading => {
  const own = speakerSegment(speaker)
  const plain = text.trim().replace(/^(?:其实|另外|对了|还有|而且|但是|不过|嗯|你好)[，,！!]?\s*/u, '')
  const corrects = /不再|其实|现在/u.test(text)
  const fact = plainFact({ text, plain, speaker, colon: '：', corrects, reader })
  if (!isAsked && NO_FACT.test(plain)) return { found: [], why: /[?？吗呢]\s*$/u.test(plain) ? 'question' : 'hypothetical' }
  for (const [kind, attribute, says, isSingle] of FORMS) {
    const thing = says.exec(plain)?.groups?.['o']
    if (thing !== undefined) return fact(kind, own, null, isSingle ? [attribute] : [attribute, short(thing)], isSingle)
  }
  const third = THIRD.exec(plain)?.groups
  if (third !== undefined)
    return fact('fact', keySegment(third['who'] ?? ''), third['who'] ?? null, ['facts', short(third['o'] ?? '')], false)
  return isAsked ? fact('note', own, null, ['notes', short(plain)], false) : { found: [], why: 'unknown_language' }
}

const short = (text: string): string => keySegment([...(text.split(/[，。,.！!；;]/u)[0] ?? text)].slice(0, 12).join(''))
