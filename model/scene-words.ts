import { type Lists, list } from './grammar.js'

/** The words that scenes are made of. */
export const SCENE_WORDS: Lists = {
  person:
    list(`man, woman, boy, girl, child, kid, baby, toddler, person, lady, guy, teenager, old man, young woman, young man,
    elderly woman, cowboy, soldier, police officer, fireman, chef, cook, waiter, doctor, nurse, teacher, student, farmer,
    fisherman, hunter, painter, singer, guitarist, drummer, dancer, ballerina, gymnast, surfer, skateboarder, skier, cyclist,
    biker, runner, jogger, swimmer, rock climber, hiker, golfer, boxer, wrestler, football player, basketball player, baseball player,
    soccer player, tennis player, hockey player, batter, pitcher, goalkeeper, referee, coach, musician, clown, magician, tourist,
    worker, construction worker, carpenter, mechanic, driver, pilot, sailor, mother, father, grandmother, bride, groom, couple,
    shopper, vendor, street performer, photographer, lifeguard, monk, priest, rider, skater, snowboarder, nurse, acrobat`),
  people:
    list(`men, women, boys, girls, children, kids, people, teenagers, young people, students, soldiers, dancers, players,
    cyclists, runners, tourists, workers, friends, musicians, hikers, police officers, football players, spectators, fans`),
  many: list(
    `two, three, four, five, several, some, many, a group of, a crowd of, a couple of, a few, a team of, a line of`,
  ),
  animal:
    list(`dog, cat, horse, cow, bird, puppy, kitten, monkey, elephant, tiger, lion, panda, bear, rabbit, sheep, goat, pig,
    squirrel, turtle, fish, duck, chicken, parrot, deer, fox, frog, lizard, snake, hamster, mouse, kangaroo, zebra, giraffe,
    whale, dolphin, seal, penguin, owl, eagle, swan, donkey, camel, lemur, sloth, hedgehog, crocodile, poodle, bulldog, terrier,
    golden retriever, german shepherd, greyhound, bull, calf, lamb, seagull, peacock, butterfly, bee, spider, ferret`),
  color: list(`red, blue, green, yellow, black, white, brown, orange, pink, purple, gray, tan, dark, light, golden, silver`),
  size: list(`big, small, little, large, huge, tiny, tall, short, long, thin, fat, young, old, wet, dirty, shiny, furry`),
  shirt:
    list(`shirt, jacket, coat, dress, hat, cap, helmet, suit, uniform, sweater, hoodie, t-shirt, skirt, bikini, vest, scarf,
    costume, apron, mask, swimsuit, wig, backpack, bow tie, pair of jeans, pair of sunglasses, hard hat, life jacket`),
  instrument:
    list(`guitar, piano, violin, flute, drums, trumpet, cello, saxophone, harp, keyboard, accordion, clarinet, banjo,
    harmonica, ukulele, electric guitar, acoustic guitar, bass, tuba, trombone, organ, tambourine, bagpipes`),
  game: list(`chess, cards, football, soccer, basketball, baseball, tennis, golf, volleyball, hockey, rugby, cricket, badminton,
    table tennis, frisbee, video games, a board game, hide and seek, poker, pool, darts, lacrosse, polo, a game`),
  food: list(`potato, onion, carrot, tomato, cucumber, pepper, egg, apple, banana, orange, lemon, lime, mango, pineapple, melon,
    watermelon, strawberry, bread, cheese, butter, meat, chicken, fish, shrimp, pork, beef, steak, bacon, rice, pasta, noodles,
    soup, salad, sandwich, burger, pizza, cake, pie, cookie, ice cream, cereal, garlic, mushroom, broccoli, cabbage, lettuce,
    corn, beans, dough, flour, sugar, chocolate, tofu, squid, octopus, popcorn, pancake, taco, sushi, herbs, nuts, grapes, peach`),
  drink: list(`water, milk, coffee, tea, beer, wine, juice, soda, lemonade, hot chocolate, oil, sauce, broth, smoothie`),
  vehicle:
    list(`bike, bicycle, motorcycle, car, truck, bus, train, boat, canoe, kayak, scooter, skateboard, tractor, van, taxi,
    airplane, helicopter, ship, ferry, sailboat, raft, sled, wagon, cart, tricycle, dirt bike, race car, fire truck, jeep`),
  thing: list(`ball, book, newspaper, phone, camera, laptop, umbrella, bag, box, stick, rope, flag, sign, balloon, kite, toy,
    doll, frisbee, bone, bottle, cup, glass, bucket, broom, knife, gun, rifle, sword, hammer, chair, table, ladder, microphone,
    flower, basket, candle, blanket, pillow, towel, suitcase, shovel, fishing rod, tennis racket, baseball bat, map, picture,
    paintbrush, letter, paper, cardboard box, piece of wood, wooden stick, tennis ball, cell phone, remote control, magazine`),
  container: list(
    'pan, pot, bowl, cup, glass, bucket, oven, blender, skillet, wok, plate, jar, bag, sink, basket, dish, tray',
  ),
  furniture:
    list(`couch, sofa, bench, chair, bed, table, desk, stool, swing, hammock, rug, floor, stage, roof, carpet, counter,
    windowsill, shelf, sidewalk, ledge, rock, log, fence, wall, step, porch, balcony, trampoline, mattress`),
  spot: list(`beach, park, street, river, lake, ocean, sea, pool, field, forest, mountain, hill, desert, garden, yard, backyard,
    kitchen, bathroom, bedroom, living room, office, restaurant, cafe, bar, store, shop, market, church, school, classroom,
    library, gym, stadium, stage, station, airport, train, bus, boat, bridge, road, highway, sidewalk, parking lot, playground,
    farm, barn, zoo, cave, cliff, waterfall, snow, sand, grass, water, mud, rain, dirt, woods, city, town, village, crowd, tunnel,
    hallway, elevator, hospital, museum, swimming pool, basketball court, soccer field, football field, race track, skate park`),
  building:
    list(`house, building, store, church, school, tent, castle, brick wall, fountain, statue, window, door, garage, barn,
    temple, shop, restaurant, hotel, skyscraper, tower, fence, monument, theater, gas station, cabin, bus stop`),
  deed: list(`cut, slice, hold, carry, throw, wash, paint, clean, push, cook, eat, buy, sell, peel, chop, break, lift, drop, fold,
    open, kick, catch, examine, repair, decorate, remove, touch, burn, hide`),
}
