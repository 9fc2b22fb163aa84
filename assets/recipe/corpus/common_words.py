"""Common English words beyond the templates: they get whole tokens and appear in "odd input" documents."""

COMMON = """about above across act action actually address afternoon again against age ago agree air all almost alone along
already also although always amazing among amount animal another answer any anyone anything appear area arm around arrive art
ask attack attention aunt autumn away baby back bad ball bank bar base beach beat beautiful because become bed before begin
behind believe below beside best between beyond bird birthday bit blood blow board boat body bone born both bottom break bridge
bright bring brother build building burn business busy call camera can care carry case catch cause cell centre certain chair
chance change cheap child choose church circle class clear climb close clothes cloud coat cold college come common company
complete computer condition contain control cook cool copy corner correct cost could country couple course cover create cross
cry culture cup cut dance danger dark data date daughter dead deal death decide deep degree design desk detail develop die
different difficult dinner direction discover disease distance doctor door doubt down draw dream dress drink drive drop
during each ear earth easy edge education effect effort eight either electric else empty end energy engine enjoy enough enter
entire equal escape even evening event ever every everyone everything exactly example except exercise expect experience
explain eye face fact fail fall family famous far fast father fear feel few field fight figure file fill film final find
fine finger finish fire first fish fit five floor fly follow food foot force foreign forget form forward four free fresh
friend front fruit full fun funny future game gas general get girl give glad glass go goal god good government grass great
ground group grow guess gun hair half hall hand happen hard hat hate head health hear heart heat heavy help here herself
hide high hill himself history hit hold hole holiday home hope hospital hotel hour house how however human hundred hurry
hurt husband idea image imagine important inside instead interest international internet island job join joke just keep kick kill kind
kiss kitchen know knowledge lady land language large late laugh law lead learn least leave leg less let letter level library
lie life lift light likely line lip list listen literature little live local long look lose lot love low luck lunch machine
main make man many map mark market marry matter maybe meaning meat medicine meet member memory message method middle might
mile mind minute miss mistake modern moment money month more morning most mother mouth move much music must myself name
nation nature near nearly neck need neighbour neither network never new news next nice nobody noise none nor nose note
nothing notice now number object ocean off offer office often oil once only open opinion order other outside own page paint
paper parent part party pass past pay peace perfect perhaps period person phone photo physics pick picture piece place plan plane
plant play player please plenty point police policy poor popular position possible power practice prepare present president
press pretty price print prison private probably problem process produce program promise protect prove public pull pupil
put quality quantum quarter quick quiet quite race radio raise reach read ready real really reason receive record region remain
remember repeat reply report rest result return ride right ring rise road rock roll room round rule safe salt same sand say
scene school science sea search season seat second secret section see seem sell send sense sentence separate serious serve
set seven several shade shake shall shape share sharp shirt shoe short should shoulder shout show shut sick side sign
silence similar since sing single sister sit situation six size skin sky sleep slip slow small smell smile snow social soft
soldier some someone something sometimes son song soon sorry sort sound south space speak special speed spell spend spirit sport
spread square stage stand star start state stay steal step stick still stomach stop store storm strange street strength
strong structure student study stuff style subject success such sudden suggest suit sun support suppose sure surface
surprise sweet swim system table take talk task taste teach team tell ten term test than that theme theory therefore these
thick thin thing think third thirty those though thousand three through throw thus tie till tired together tomorrow tonight
too tool tooth top total touch toward town trade train travel treat trip trouble truck trust truth try turn twelve twenty
type uncle understand unit university until upon use usual value various very video view village visit voice wait wake walk wall want
war warm wash watch wave weak wear wedding weight welcome west what wheel when whether which while whole whom whose why
wide wife wild win window wing wish without woman wonder wood word work world worry worth would wrong yard year yes
yesterday yet young yourself zero""".split()
