import { describe, expect, test } from 'vitest'
import { createTalkReader } from '../../worker/extract/main.js'

const AT = Date.UTC(2026, 4, 13, 12)
const read = (text: string, speaker: string | null = null) =>
  createTalkReader('').read({ speaker, text }, { at: AT, offsetMinutes: 0 })
const keys = (text: string, speaker: string | null = null) => read(text, speaker).facts.map(({ key }) => key)

/** Turns with the keys that they give; none where nothing is to be learned. */
type Talk = readonly (readonly [said: string, ...keys: readonly string[]])[]

const TALKS: Readonly<Record<string, Talk>> = {
  'who somebody is': [
    ['Hi, my name is Marta.', 'user/name'],
    ["Hello! I'm Marta Lindqvist.", 'user/name'],
    ['Call me Mo from now on.', 'user/name'],
    ["I'm 41 years old.", 'user/age'],
    ['I just turned thirty.', 'user/age'],
    ['My birthday is on March 9.', 'user/birthday'],
    ['I was born on 9 March 1985.', 'user/birthday'],
    ["I'm originally from Uppsala.", 'user/origin'],
    ['I grew up in Tromsø.', 'user/origin'],
    ['My email is marta@example.org.', 'user/email'],
    ['My phone number is 555 0199.', 'user/phone-number'],
    ['I speak Portuguese and a bit of Finnish.', 'user/languages/portuguese-finnish'],
    ["I'm tired."],
    ["I'm sure it was fine."],
    ['What is my name?'],
    ['Is my birthday stored?'],
    ['Thanks, that is great!'],
    ['You are 41 years old.'],
    ['I know.'],
    ["I'm happy to help."],
  ],
  'home and work': [
    ['I live in Bergen.', 'user/home'],
    ["I've been living in Bergen since 2019.", 'user/home'],
    ['I moved to Oslo last month.', 'user/home'],
    ['We relocated to Malmö.', 'user/home'],
    ["I'm based in Ghent.", 'user/home'],
    ['I work at Halden Robotics.', 'user/employer'],
    ['I work for the city.', 'user/employer'],
    ['I work as a paramedic.', 'user/job'],
    ["I'm a civil engineer.", 'user/job'],
    ["I'm studying architecture.", 'user/school/architecture'],
    ['I got promoted.', 'user/work'],
    ["I'm retired.", 'user/work'],
    ['I joined Halden in 2021.', 'user/employer'],
    ['If I lived in Oslo I would ski more.'],
    ['I might move to Oslo.'],
    ['Should I move to Oslo?'],
    ['I wish I lived by the sea.'],
    ["Let's say I work at a bank."],
    ['In my novel I live in a lighthouse.'],
    ['I would have moved to Oslo.'],
  ],
  'people and animals': [
    ['My sister Anna lives in Rome.', 'anna/home'],
    ["My brother's called Tom.", 'tom/name'],
    ["My mother's birthday is on June 2.", 'user-mother/birthday'],
    ["My flatmate Jonas can't stand coriander.", 'jonas/tastes/coriander'],
    ['My daughter is allergic to eggs.', 'user-daughter/allergies/eggs'],
    ['My boss Petra hates meetings before ten.', 'petra/tastes/meetings'],
    ['I have two kids.', 'user/family/kids'],
    ["I'm married.", 'user/relationship'],
    ['I got engaged in April.', 'user/relationship'],
    ['We adopted a puppy.', 'user/pets/puppy'],
    ['My dog is called Rex.', 'rex/name'],
    ['Ivo prefers tea over coffee.', 'ivo/tastes/tea-over-coffee'],
    ['My cat Minka is diabetic.', 'minka/health/diabetic'],
    ['How is your sister?'],
    ['He is nice.'],
    ['She lives in Rome.'],
    ['My sister said that Tom lives in Bonn.'],
    ['Everybody loves dogs.'],
    ['People say the boss is strict.'],
    ['Anna!'],
  ],
  'likes, food and health': [
    ['I love hiking.', 'user/tastes/hiking'],
    ['I really hate olives.', 'user/tastes/olives'],
    ["I don't like horror films.", 'user/tastes/horror-films'],
    ["I can't stand coriander.", 'user/tastes/coriander'],
    ["I'm a big fan of jazz.", 'user/tastes/jazz'],
    ["I'm into bouldering.", 'user/tastes/bouldering'],
    ['My favourite colour is teal.', 'user/favourite-colour'],
    ['I prefer window seats.', 'user/tastes/window-seats'],
    ["I'm vegan.", 'user/diet'],
    ['I no longer eat meat.', 'user/food/meat'],
    ["I don't drink alcohol.", 'user/food/alcohol'],
    ["I'm allergic to peanuts.", 'user/allergies/peanuts'],
    ["I'm lactose intolerant.", 'user/allergies/lactose'],
    ['I have asthma.', 'user/health/asthma'],
    ['I would love it if you liked jazz.'],
    ['Do you like jazz?'],
    ['I like that.'],
    ['I love it!'],
    ['I would like you to write a poem.'],
    ["I'm vegan, just kidding."],
  ],
  'plans, routines and possessions': [
    ["I'm flying to Rome on Friday.", 'user/plans/flying-rome-friday/2026-05-15'],
    ["I'm planning to run a marathon in October.", 'user/plans/run-marathon-october/2026-10'],
    ["I'm going to repaint the kitchen tomorrow.", 'user/plans/repaint-kitchen-tomorrow/2026-05-14'],
    ['I usually swim on Tuesdays.', 'user/routines/swim-tuesdays'],
    ['I go to the gym every morning.', 'user/routines/go-gym-every-morning'],
    ['I drive an old Saab.', 'user/belongings/saab'],
    ['I own a sailing boat.', 'user/belongings/sailing-boat'],
    ['I bought a new bike yesterday.', 'user/belongings/bike-yesterday'],
    ['I play the cello.', 'user/skills/cello'],
    ['I decided to sell the boat.', 'user/decisions/sell-boat'],
    ['I promised Tom a postcard.', 'user/commitments/tom-postcard'],
    ['Could you plan my trip?'],
    ['Plan my trip to Rome.'],
    ['Maybe I should buy a boat?'],
    ['Imagine I own a castle.'],
    ['Write a story in which I own a castle.'],
    ['I have a question.'],
    ['I have an idea.'],
    ['I could buy a boat.'],
    ['I need you to book a flight.'],
  ],
  'corrections, requests and what only looks like telling': [
    ['Actually, I moved to Lisbon.', 'user/home'],
    ["I don't live in Berlin anymore.", 'user/home'],
    ['Please remember that my locker code is 4417.', 'user/locker-code'],
    ['Remember: I park on level 3.', 'user/facts/park-level-3'],
    ['Remind me to water the plants on Sunday.', 'user/notes/water-plants-sunday'],
    ['Note that I work nights.', 'user/work'],
    ['Do you remember my code?'],
    ['He said "I live in Paris".'],
    ['> I live in Paris.'],
    ['```\nconst home = "I live in Paris"\n```'],
    ['const city = "Paris";'],
    ['Translate: "I live in Paris and I work as a baker."'],
    ['You are a pirate. I live on a ship.'],
    ["Let's role-play. I am a dragon and I live in a cave."],
    ['Here is my essay:\nI live in Paris. My name is Zoe.'],
    ['From: Zoe\nTo: Ana\nSubject: Hi\nI live in Paris.'],
    ['On 3 May 2026, Zoe wrote:\nI live in Paris.'],
    ['For example, I live in Paris.'],
    ['Haha, I live on the moon, just kidding!'],
    ['Suppose my name is Zoe.'],
  ],
}

describe.each(Object.entries(TALKS))('%s', (_, talk) => {
  test('is a talk of twenty turns', () => expect(talk).toHaveLength(20))
  test.each(talk)('%s', (said, ...wanted) => expect(keys(said)).toEqual(wanted))
})

describe('a turn', () => {
  test('tells several things', () => {
    expect(keys('My name is Ana, I live in Porto and I have two dogs.')).toEqual([
      'user/name',
      'user/home',
      'user/pets/dogs',
    ])
  })

  test('says who "she" is, for this turn', () => {
    const { facts } = read("My sister Anna moved to Lisbon. She's allergic to peanuts and her birthday is on May 3.")
    expect(facts.map(({ key, statement }) => [key, statement])).toEqual([
      ['anna/home', 'My sister Anna moved to Lisbon.'],
      ['anna/allergies/peanuts', "Anna's allergic to peanuts."],
      ['anna/birthday', "Anna's birthday is on May 3."],
    ])
    expect(keys('She is allergic to peanuts.')).toEqual([])
  })

  test('of a speaker with a name is told of that name', () => {
    const { facts } = read("Hey Jon! I've been to Rome once. My cat hates rain. I love my job and I'm a baker.", 'Gina')
    expect(facts.map(({ statement }) => statement)).toEqual([
      'Gina has been to Rome once.',
      "Gina's cat hates rain.",
      "Gina loves Gina's job.",
      'Gina is a baker.',
    ])
    expect(new Set(facts.map(({ subject }) => subject))).toEqual(new Set(['gina', 'gina-cat']))
  })

  test('spoken to somebody is not about him', () => {
    expect(keys('Mel, that painting is amazing!', 'Caroline')).toEqual([])
    expect(keys('Wow, Caroline, your group sounds awesome!', 'Mel')).toEqual([])
  })

  test('tells of those it does not name by what they are to the speaker', () => {
    const { facts } = read('My parents live in Spain and they have a dog.')
    expect(facts.map(({ statement }) => statement)).toEqual(['My parents live in Spain.', 'My parents have a dog.'])
    expect(read('My parents live in Spain.', 'Gina').facts[0]?.statement).toBe("Gina's parents live in Spain.")
  })

  test('that was a joke is taken back', () => {
    const { facts, refused } = read('I own a castle in Spain. Just kidding! I live in Bergen.')
    expect(facts.map(({ key }) => key)).toEqual(['user/home'])
    expect(refused.filter(({ why }) => why === 'joke')).toHaveLength(2)
  })
})

describe('a date', () => {
  test.each([
    ['I moved to Oslo last week.', 'last week', '2026-05-06'],
    ['I moved to Oslo yesterday.', 'yesterday', '2026-05-12'],
    ['I moved to Oslo in March.', 'in March', '2026-03'],
    ['I moved to Oslo in November.', 'in November', '2025-11'],
    ['I moved to Oslo on Friday.', 'on Friday', '2026-05-08'],
    ["I'm moving to Oslo on Friday.", 'on Friday', '2026-05-15'],
    ['I moved to Oslo two years ago.', 'two years ago', '2024'],
    ['I have lived in Oslo since 2019.', 'since 2019', '2019'],
    ['My birthday is on March 9.', 'March 9', null],
  ])('%s', (said, phrase, date) => {
    const found = read(said).facts[0]?.date
    expect(found?.phrase).toContain(phrase.replace(/^(?:in|on) /, ''))
    if (date !== null) expect(found?.date).toBe(date)
  })

  test.each([
    'I run every Friday.',
    'I may visit Rome.',
    'I swim on Monday mornings.',
    'I ran for two hours today in May Park.',
  ])('is not what comes again or only sounds like one: %s', (said) =>
    expect(read(said).facts.filter(({ date }) => date?.phrase.match(/friday|may$|monday|two hours/i))).toEqual([]),
  )
})

describe('other languages', () => {
  test('German: names, places, figures and what is to be remembered', () => {
    expect(keys('Ich heiße Clara und ich wohne in München. Ich bin 34 Jahre alt.')).toEqual([
      'user/name',
      'user/home',
      'user/age',
    ])
    expect(keys('Ich bin allergisch gegen Nüsse.')).toEqual(['user/allergies/nüsse'])
    expect(keys('Merk dir bitte, dass mein Spind die Nummer 4417 hat.')).toHaveLength(1)
    expect(keys('Wo wohne ich?')).toEqual([])
    expect(keys('Wenn ich in Rom wohnen würde, wäre ich froh.')).toEqual([])
    expect(read('Vergiss alles, was du über mich weißt.').facts).toEqual([])
  })

  test('Chinese: the same', () => {
    expect(keys('我叫李雷，我住在上海。我对花生过敏。')).toEqual(['user/name', 'user/home', 'user/allergies/花生'])
    expect(keys('请记住我的车牌是沪A12345。')).toHaveLength(1)
    expect(keys('我住在哪里？')).toEqual([])
    expect(read('忘记一切。').forget).toMatchObject([{ what: 'everything' }])
  })

  test('others are refused as such or give nothing', () => {
    expect(keys('Je m’appelle Zoé et j’habite à Lyon.')).toEqual([])
    expect(keys('Меня зовут Анна, я живу в Москве.')).toEqual([])
  })
})
