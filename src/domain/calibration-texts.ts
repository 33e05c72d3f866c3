/**
 * Forty statements as a memory holds them, each said twice in different words. What an embedder makes of the two ways of saying
 * one thing, and of statements that have nothing to do with each other, tells how its similarities are to be read. Written for this
 * purpose; no statement shares its subject matter with another.
 */
export const CALIBRATION_TEXTS: readonly (readonly [said: string, saidAgain: string])[] = [
  ['Alice moved to Lisbon in May.', 'In May, Alice relocated to Lisbon.'],
  ['The database listens on port 5432.', 'Port 5432 is the one the database uses.'],
  ['My sister is allergic to peanuts.', 'Peanuts give my sister an allergic reaction.'],
  ['We deploy to production every Thursday.', 'Production releases happen on Thursdays.'],
  ['Tom has been a vegetarian for ten years.', 'For a decade now Tom has not eaten any meat.'],
  ['The meeting starts at nine in the morning.', 'At 9 am the meeting begins.'],
  ['I prefer dark mode in every editor.', 'In all editors I like the dark theme better.'],
  ['The cat sleeps on the kitchen chair.', 'A chair in the kitchen is where the cat sleeps.'],
  ['Our flight to Tokyo was cancelled.', 'The plane we were going to take to Tokyo was called off.'],
  ['She plays the violin in an orchestra.', 'She is a violinist in an orchestra.'],
  ['The invoice has not been paid yet.', 'Payment of the bill is still outstanding.'],
  ['Grandfather grew tomatoes behind the barn.', 'Behind the barn my grandfather used to raise tomatoes.'],
  ['He broke his left arm while skiing.', 'While he was skiing he fractured his left arm.'],
  ['The tests fail on Windows only.', 'Only under Windows do the tests not pass.'],
  ['Maria is learning to drive.', 'Maria takes driving lessons.'],
  ['The museum is closed on Mondays.', 'On Mondays you cannot visit the museum.'],
  ['I owe Peter twenty euros.', 'Peter lent me 20 euros that I have not returned.'],
  ['Their daughter was born in 2019.', 'Their little girl came into the world in 2019.'],
  ['The old bridge is being repaired.', 'Repairs are under way on the old bridge.'],
  ['He works night shifts at the hospital.', 'At the hospital he is on duty during the night.'],
  ['The wifi password is on the fridge.', 'You find the password of the wireless network on the refrigerator.'],
  ['She wants to write a novel about pirates.', 'Her plan is to write a book with pirates in it.'],
  ['The dog is afraid of thunder.', 'Thunder frightens the dog.'],
  ['I drink my coffee without sugar.', 'No sugar in my coffee, please.'],
  ['The company was bought by a competitor.', 'A rival firm acquired the company.'],
  ['It rained during the whole wedding.', 'Throughout the wedding it was raining.'],
  ['He speaks French and a little Arabic.', 'French and some Arabic are the languages he speaks.'],
  ['The backup runs at midnight.', 'Every night at twelve a backup is made.'],
  ['Our neighbour collects old radios.', 'The man next door has a collection of antique radios.'],
  ['The train to Vienna was an hour late.', 'The Vienna train arrived with an hour of delay.'],
  ['Please answer in short sentences.', 'Keep the sentences of your replies brief.'],
  ['She quit smoking last winter.', 'Last winter she gave up cigarettes.'],
  ['The lake freezes in January.', 'In January the lake is covered with ice.'],
  ['He lost his wallet at the airport.', 'At the airport his wallet went missing.'],
  ['The children built a house of cardboard.', 'The kids made a cardboard house.'],
  ['Anna studies medicine in Prague.', 'Anna is a medical student in Prague.'],
  ['The bakery on the corner sells the best bread.', 'Nobody has better bread than the corner bakery.'],
  ['I run five kilometres before breakfast.', 'Before breakfast I go for a run of 5 km.'],
  ['The printer is out of ink.', 'There is no ink left in the printer.'],
  ['They celebrate their anniversary in autumn.', 'Their anniversary is celebrated in the fall.'],
]

/** What every embedder is asked first: its answer is kept, and a changed answer is a changed embedder. */
export const PROBE_TEXT = 'Alice moved to Lisbon in May.'
