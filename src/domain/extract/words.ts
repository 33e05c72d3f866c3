/** Words for the people of somebody, as alternatives of a pattern. */
export const RELATIONS =
  'mom|mum|mother|mama|dad|father|papa|parents?|brothers?|sisters?|siblings?|twins?|sons?|daughters?|kids?|children|child|baby|toddler|husband|wife|spouse|partner|fianc[eé]e?|boyfriend|girlfriend|ex(?:-(?:wife|husband|boyfriend|girlfriend))?|grandm(?:a|other)|grandp(?:a|arents?)|grandfather|grandson|granddaughter|grandchild(?:ren)?|aunt(?:ie)?|uncle|cousins?|niece|nephew|(?:mother|father|brother|sister|son|daughter)-in-law|in-laws|step(?:mother|father|mom|dad|son|daughter|brother|sister)|godmother|godfather|godson|goddaughter|friends?|buddy|pal|best friend|flatmates?|roommates?|housemates?|neighbou?rs?|colleagues?|co-?workers?|boss|manager|supervisor|mentor|teacher|professor|coach|therapist|doctor|dentist|landlord|landlady|assistant|accountant|lawyer|client|customer|team ?mates?|classmates?|student|trainer|nanny|babysitter|family|crew'

export const PETS =
  'dogs?|pupp(?:y|ies)|cats?|kittens?|kitty|rabbits?|bunny|bunnies|hamsters?|guinea pigs?|parrots?|birds?|fish|goldfish|turtles?|tortoises?|snakes?|lizards?|geckos?|horses?|pony|chickens?|ferrets?|pets?|labrador|retriever|poodle|beagle|husky|terrier|bulldog|corgi|dachshund|canary|budgie|cockatoo'

export const DIETS =
  'vegan|vegetarian|pescatarian|pescetarian|flexitarian|gluten-free|dairy-free|lactose-free|sugar-free|low-carb|keto|ketogenic|paleo|kosher|halal|teetotal(?:er)?|c(?:o)?eliac|plant-based|carnivore|mediterranean diet|omnivore'

export const ILLNESSES =
  "asthma|diabetes|diabetic|migraines?|adhd|add|autis(?:m|tic)|epilep(?:sy|tic)|arthritis|depression|anxiety|insomnia|anemia|eczema|psoriasis|hypertension|high blood pressure|dyslexi[ac]|color[- ]?blind|colour[- ]?blind|deaf|blind|cancer|ptsd|ocd|bipolar|ibs|crohn[’']?s|hay fever|\\p{L}+itis|[\\p{L}’' -]{0,20}(?:syndrome|disease|disorder|condition|injury)"

/** What somebody who is `a …` does for a living: words and endings. */
export const PROFESSION =
  'nurse|chef|cook|lawyer|pilot|judge|clerk|guard|coach|vet|athlete|architect|librarian|surgeon|dentist|therapist|paramedic|mechanic|electrician|plumber|carpenter|barista|bartender|waiter|waitress|actor|actress|author|doctor|professor|tutor|teacher|nanny|student|intern|developer|engineer|programmer|designer|manager|director|consultant|analyst|accountant|assistant|journalist|photographer|writer|editor|musician|singer|dancer|painter|artist|scientist|researcher|biologist|chemist|physicist|psychologist|economist|historian|translator|pharmacist|optician|technician|politician|physician|veterinarian|firefighter|soldier|officer|agent|realtor|broker|banker|trader|recruiter|marketer|farmer|gardener|driver|baker|butcher|tailor|hairdresser|stylist|entrepreneur|freelancer|founder|ceo|cto|cfo|producer|filmmaker|videographer|animator|illustrator|sculptor|potter|florist|secretary|receptionist|cashier|administrator|strategist|specialist|coordinator|instructor|trainer|lecturer|principal|pastor|priest|monk|nun|social worker|construction worker|copywriter|blogger|streamer|youtuber|model'

/** Names begin like these words too, at the head of a sentence. */
export const NO_NAMES = new Set(
  (
    'i a an the this that these those it its he she they we you my your his her their our who what when where why how which some any all both each every no not ' +
    'there here then now today tomorrow yesterday soon later once after before since until while if unless because although though as at by for from in into of off on onto ' +
    'out over to up with without about above across against along among around behind below beneath beside between beyond down during except inside like near outside past ' +
    'through toward under upon within and or but so yet nor just also only even still already again never always often sometimes usually maybe perhaps probably really very ' +
    'quite too much many most more less few several one two three four five six seven eight nine ten first second third last next new old good great nice bad big small ' +
    'yes yeah no ok okay well hi hey hello thanks thank please sorry wow congrats sure right monday tuesday wednesday thursday friday saturday sunday january february march ' +
    'april may june july august september october november december christmas easter english german french spanish let lets do does did is are was were be been being have has ' +
    'had can could will would shall should must might everyone everybody someone somebody nobody anyone people things something nothing anything everything hopefully honestly ' +
    'actually apparently currently recently lately finally overall instead otherwise however therefore thus user assistant system looking'
  ).split(' '),
)
