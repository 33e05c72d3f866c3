import { describe, expect, test } from 'vitest'
import { buildCorpus, sceneTexts, wordNetTexts } from '../../model/corpus.js'
import { expand, inflect, list, sentence } from '../../model/grammar.js'
import { createRandom } from '../../model/random.js'
import { SCENES } from '../../model/scenes.js'
import { parseSynset, type Synset } from '../../model/wordnet.js'

const SYNSETS: readonly Synset[] = [
  { words: ['guitar'], definition: 'a stringed instrument', examples: ['he plays the guitar', 'she tuned her guitar'] },
  { words: ['strum', 'thrum'], definition: 'sound the strings of', examples: ['strum a guitar'] },
  { words: ['loud'], definition: 'a stringed instrument', examples: ['he plays the guitar'] },
]

describe('chance', () => {
  test('is the same for the same seed, and another for another', () => {
    const numbers = (seed: string) => Array.from({ length: 5 }, createRandom(seed).next)
    expect(numbers('a')).toEqual(numbers('a'))
    expect(numbers('a')).not.toEqual(numbers('b'))
    expect(numbers('a').every((number) => number >= 0 && number < 1)).toBe(true)
  })

  test('shuffles without losing anything', () => {
    const shuffled = createRandom('cards').shuffle([...Array(50).keys()])
    expect(shuffled).not.toEqual([...Array(50).keys()])
    expect(shuffled.toSorted((a, b) => a - b)).toEqual([...Array(50).keys()])
  })
})

describe('the grammar', () => {
  const random = createRandom('grammar')

  test('fills slots, chooses between alternatives and inflects', () => {
    const lists = { act: ['ride a {thing}'], thing: ['horse'] }
    expect(expand('he is {act:ing}', lists, random)).toBe('he is riding a horse')
    expect(expand('[two|two] {thing:plural}', lists, random)).toBe('two horses')
  })

  test.each([
    ['run fast', 'ing', 'running fast'],
    ['run fast', 'ed', 'ran fast'],
    ['write', 'en', 'written'],
    ['carry', 's', 'carries'],
    ['carry', 'ed', 'carried'],
    ['lie down', 'ing', 'lying down'],
    ['golden retriever', 'plural', 'golden retrievers'],
    ['mouse', 'plural', 'mice'],
    ['fireman', 'plural', 'firemen'],
    ['sheep', 'plural', 'sheep'],
  ])('makes of "%s" with %s "%s"', (phrase, form, expected) => expect(inflect(phrase, form)).toBe(expected))

  test('makes sentences: articles before vowels, no stray spaces', () => {
    const texts = Array.from({ length: 20 }, () =>
      sentence('a  {thing} is a {kind} ?', { thing: ['apple'], kind: ['unit'] }, random),
    )
    expect(new Set(texts.map((text) => text.toLowerCase()))).toEqual(new Set(['an apple is a unit?']))
  })

  test('names the list that is missing, and a phrase without end', () => {
    expect(() => expand('{nothing}', {}, random)).toThrow('no list nothing')
    expect(() => expand('{a}', { a: ['{a}'] }, random)).toThrow('no end')
  })

  test('has every list that its scenes name', () => {
    const named = Object.values(SCENES)
      .flat()
      .flatMap((phrase) => [...phrase.matchAll(/\{([\w-]+)/g)].map(([, name]) => name))
    expect(new Set(named.filter((name) => SCENES[name as string] === undefined))).toEqual(new Set())
  })

  test('reads lists over line ends', () => expect(list(' a b,\n  c , ')).toEqual(['a b', 'c']))
})

describe('the corpus', () => {
  test('has no empty, unfilled or repeated scene', () => {
    const texts = sceneTexts(3000)
    expect(new Set(texts).size).toBe(3000)
    expect(texts.filter((text) => text.trim() === '' || /[{}[\]|]|\s{2}|undefined/.test(text))).toEqual([])
  })

  test('begins the same however long it is', () => expect(sceneTexts(50)).toEqual(sceneTexts(100).slice(0, 50)))

  test('is the same every time', () => {
    expect(wordNetTexts(SYNSETS)).toEqual(wordNetTexts(SYNSETS))
  })

  test('takes each WordNet text once', () => {
    const { examples, definitions } = wordNetTexts(SYNSETS)
    expect(examples.toSorted()).toEqual(['he plays the guitar', 'she tuned her guitar', 'strum a guitar'])
    expect(new Set(definitions).size).toBe(definitions.length)
  })

  test('leaves long definitions out', () => {
    const [examples, definitions, scenes] = buildCorpus(SYNSETS, (text) => (text.includes('strings') ? 11 : 10))
    expect(examples?.texts).toHaveLength(3)
    expect(definitions?.texts.every((text) => !text.includes('strings'))).toBe(true)
    expect(scenes?.texts).toHaveLength(61_440)
  })
})

test('a line of WordNet is read into words, definition and examples', () => {
  const line =
    '00002084 00 s 03 galore(ip) 0 in_plenty 0 "x" 0 001 & 00001 a 0000 | (law) in great number; "roses galore"; "it\'s dear"- Poe  '
  expect(parseSynset(line)).toEqual({
    words: ['galore', 'in plenty', '"x"'],
    definition: '(law) in great number',
    examples: ['roses galore', "it's dear"],
  })
})
