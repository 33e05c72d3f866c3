import { type Lists, lines } from './grammar.js'
import { SCENE_WORDS } from './scene-words.js'

/** What one sees on a street, in a kitchen, on a field: people, animals and things, and what they are doing. */
export const SCENES: Lists = {
  ...SCENE_WORDS,
  where: lines(`in the {spot}
    at the {spot}
    near the {spot}
    by the {spot}
    on the {furniture}
    on a {color} {furniture}
    in front of a {building}
    in front of a {thing}
    next to a {vehicle}
    across the {spot}
    through the {spot}
    along the {spot}
    outside
    outdoors
    indoors
    at night
    in the background
    during the day
    under a tree
    under the bridge
    behind a fence
    beside a {person}
    with a {animal}
    with [his|her|their] [friends|family|dog|children|hands|eyes closed]
    in the [snow|rain|sun|dark|air|shade]`),
  act: lines(`play the {instrument}
    play {instrument}
    play {game}
    play {game}
    play with a {thing}
    play with a {animal}
    cut [the|some] {food}
    slice the {food} [|with a knife|into pieces]
    chop [the|some] {food}
    peel the {food}
    cook [some|the] {food} in a {container}
    fry [some|the] {food}
    boil [some|the] {food}
    mix [some|the] {food} and {food} in a {container}
    stir {food} in a {container}
    pour {drink} into a {container}
    put {food} into a {container}
    add {food} to a {container}
    season [the|some] {food}
    crack an egg
    eat [the|some] {food}
    drink [some|a glass of|a cup of] {drink}
    ride a {vehicle}
    ride a [horse|bull|camel|elephant|pony|wave|skateboard|surfboard|roller coaster]
    drive a {vehicle}
    push a [cart|stroller|car|lawn mower|wheelchair|swing|button]
    pull a [cart|sled|rope|wagon]
    walk a dog
    walk [|down the street|on the beach|in the park|across the street|up the stairs|along a path]
    run {where}
    run [|a race|a marathon|down the road|through the grass|across a field]
    jump [|into the water|over a fence|on a trampoline|off a cliff|rope|into a pool|over a {thing}|in the air]
    climb a [rock|mountain|tree|ladder|rope|wall|hill|cliff]
    swim {where}
    dance {where}
    dance [|on stage|in the rain|with a partner|in a circle]
    sing [|a song|on stage|into a microphone|in a choir]
    talk [|on the phone|to a {person}|on a cell phone|to the camera|into a microphone]
    speak [|at a podium|to a crowd|on stage|with reporters]
    read a [book|newspaper|magazine|letter|map|sign|story]
    write [|a letter|in a notebook|on a blackboard|on a piece of paper]
    draw [|a picture|on a wall|with a pencil]
    paint [a picture|a wall|a house|her nails|a fence|his face]
    take [a picture|a photo|pictures|a nap|a bath|a shower|a walk]
    hold a {thing}
    hold a [baby|child|puppy|microphone|sign|flag]
    carry a {thing}
    carry a [backpack|surfboard|child|bag of groceries]
    throw a {thing}
    throw a [ball|frisbee|stick] [|to a {animal}|to a {person}|in the air]
    catch a [ball|fish|frisbee|football]
    kick a [ball|soccer ball|football|{person}]
    hit a [ball|tennis ball|golf ball|drum|baseball]
    shoot [a gun|a rifle|a bow and arrow|a basketball|targets]
    wear a {color} {shirt}
    wear a {shirt}
    wear a {color} {shirt} and a {color} {shirt}
    sit {where}
    sit on a {furniture}
    stand {where}
    stand on a {furniture}
    lie {where}
    lean against a [wall|fence|car|tree|railing]
    sleep on a {furniture}
    wait for a [bus|train|taxi|friend]
    look at a {thing}
    look at [a {animal}|the camera|the sky|a computer screen|himself in the mirror|out of a window]
    watch [a movie|television|TV|a game|a {animal}|the sunset|fireworks|a parade]
    smile [|at the camera|happily|broadly]
    laugh [|with friends|out loud]
    cry
    kiss a {person}
    hug a {person}
    feed a {animal}
    pet a {animal}
    wash [the dishes|a car|his hands|a dog|clothes|a window|her hair]
    brush [her hair|his teeth|a horse]
    comb [her hair|his hair]
    apply [makeup|mascara|lipstick|eye shadow]
    clean [the floor|a window|a fish|the kitchen|a {thing}]
    sweep the floor
    open a [box|door|bottle|can|package|window|present]
    close a [door|window|book]
    fix a [bike|car|roof|computer|tire]
    build a [house|sandcastle|snowman|fence|fire|boat]
    dig a hole
    plant [a tree|flowers|seeds]
    mow the lawn
    shovel snow
    fly a [kite|plane|helicopter|drone]
    fish {where}
    surf [|a wave|in the ocean|on a big wave]
    ski [|down a hill|down a mountain|on fresh snow]
    skate [|on the ice|down a ramp|along a rail]
    do [a trick|a flip|push-ups|yoga|karate|a handstand|a wheelie|exercises|homework|a card trick]
    lift [weights|a barbell|a box|a child]
    type on a [keyboard|laptop|computer]
    use a [computer|laptop|sewing machine|phone|drill|saw|hammer|microscope|tool]
    work on a [laptop|computer|car|roof|bicycle|project|construction site]
    buy [{food}|a {thing}|tickets|groceries]
    sell [{food}|flowers|clothes|balloons] [|at a market|on the street]
    wave a flag
    blow [bubbles|out candles|a whistle]
    light a [candle|cigarette|fire]
    smoke a [cigarette|cigar|pipe]
    point [at a {thing}|at something|to the sky|a gun at a {person}]
    cross the [street|road|river|finish line]
    perform [|on stage|a trick|a magic trick|for a crowd|a dance]
    fall [|off a horse|down|into the water|off a bike]
    fight [|with a {person}|in a ring]
    chase a {animal}
    chase a [ball|{person}|cat]
    march [|in a parade|down the street]
    exercise [|at the gym|outdoors]
    fold [clothes|a piece of paper]
    tie [his shoes|a knot|a rope]
    knit a sweater
    break a [board|window|brick]`),
  beast: lines(`run [|through the grass|on the beach|in the snow|across a field|through water]
    play [|with a ball|with a toy|in the snow|with another {animal}|with a stick]
    chase [a ball|a {animal}|its tail|a cat|a squirrel]
    jump [|over a hurdle|over a fence|in the air|into the water|to catch a frisbee]
    swim [|in a pool|in the water|underwater]
    eat [|grass|food|hay|{food}|bamboo|from a bowl]
    drink [|water|milk|from a bowl]
    sleep [|on a {furniture}|in a basket]
    lie [on a {furniture}|in the sun|down|in the grass]
    sit [on a {furniture}|in the grass|on a branch|in a tree]
    stand {where}
    walk {where}
    carry a [stick|ball|toy|bone] [|in its mouth]
    catch a [ball|frisbee|mouse|fish]
    lick [a {person}|its paws|a spoon|the camera]
    bark at a [{person}|{animal}|ball]
    look [at the camera|out of a window|at a {animal}|up]
    fly [|over the water|in the sky|through the air]
    climb a [tree|wall|rope]
    fight [|with another {animal}]
    bite a [{person}|{thing}|rope]
    pull a [sled|cart|rope]
    shake off water
    hide under a {furniture}
    graze {where}
    roll in the [mud|grass|snow]
    wear a [hat|collar|sweater]`),
  state: lines(`{color}
    {size}
    empty
    parked {where}
    moving {where}
    covered in [snow|mud|leaves|flowers|paint]
    full of [water|people|fruit|flowers|books]
    sitting on a {furniture}
    lying on the {furniture}
    on fire
    hanging on a wall
    flying in the sky`),
  who: lines(`a {person}
    a {person}
    the {person}
    a {person} in a {color} {shirt}
    a {person} with a {thing}
    a {size} {person}
    one {person}
    someone
    somebody`),
  herd: lines(`{many} {people}
    {many} {people}
    the {people}
    a {person} and a {person}
    a {person} and [his|her] [dog|son|daughter|friend|wife|husband|mother]`),
  pet: lines(`a {animal}
    a {color} {animal}
    a {size} {animal}
    the {animal}
    a {color} and {color} {animal}
    a {size} {color} {animal}`),
  scene: lines(`{who} is {act:ing}
    {who} is {act:ing}
    {who} is {act:ing} {where}
    {who} {act:ing} {where}
    {who} {act:s}
    {who} {act:s} while {who} {act:s}
    {who} {act:ed}
    {who} is {act:ing} and {act:ing}
    {who} is not {act:ing}
    there is no {person} {act:ing}
    nobody is {act:ing}
    {herd} are {act:ing}
    {herd} are {act:ing}
    {herd} {act:ing} {where}
    {herd} {act} {where}
    {herd} are {act:ing} {where}
    {herd} are not {act:ing}
    {pet} is {beast:ing}
    {pet} is {beast:ing}
    {pet} is {beast:ing} {where}
    {pet} {beast:ing} {where}
    {pet} {beast:s}
    {pet} and {pet} are {beast:ing}
    two {color} {animal:plural} {beast:ing}
    {pet} is not {beast:ing}
    a {thing} is being {deed:en} by {who}
    [the|some] {food} is being {deed:en} by {who}
    a {color} {vehicle} is {state}
    a {vehicle} {where}
    the {thing} is {state}
    a {color} {thing} on a {furniture}
    a {size} {building} {where}
    {who} {where}
    {many} {people} {where}
    a close up of a {color} {animal}
    a {animal} with a {color} {thing}
    a {furniture} and a {furniture} in a room
    a living room with a {color} {furniture}, a {thing} and a {thing}
    a {color} and {color} {vehicle} is going down the [road|street|tracks|river]
    a view of the {spot} from a {vehicle}`),
}
