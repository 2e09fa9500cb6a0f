"""What the analyzer knows of languages: scripts, Snowball algorithms, function words, guessing.

Languages are named by ISO 639-1 code. A language that is not listed here is still indexed:
its words are compared as written, without stemming.
"""

from __future__ import annotations

import re
from functools import cache

SNOWBALL: dict[str, str] = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "eo": "esperanto",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}
"""The Snowball algorithm of a language (https://snowballstem.org/algorithms/)."""

_SCRIPT_OF_LANGUAGE: dict[str, str] = {
    **dict.fromkeys(("ru", "uk", "be", "bg", "mk", "kk", "ky", "mn", "tg"), "cyrillic"),
    **dict.fromkeys(("ar", "fa", "ur"), "arabic"),
    **dict.fromkeys(("hi", "ne", "mr"), "devanagari"),
    **dict.fromkeys(("he", "yi"), "hebrew"),
    **dict.fromkeys(("ja", "zh", "ko", "th", "lo", "km", "my"), "unspaced"),
    "el": "greek",
    "hy": "armenian",
    "ta": "tamil",
}

SCRIPT_DEFAULT: dict[str, str] = {
    "latin": "en",
    "cyrillic": "ru",
    "greek": "el",
    "arabic": "ar",
    "devanagari": "hi",
    "armenian": "hy",
    "tamil": "ta",
    "hebrew": "he",
    "unspaced": "zh",
    "other": "en",
}
"""The language whose stemmer serves a script in a document of another script's language."""

_SCRIPT_RANGES: tuple[tuple[int, int, str], ...] = (
    (0x0000, 0x0370, "latin"),
    (0x0370, 0x0400, "greek"),
    (0x0400, 0x0530, "cyrillic"),
    (0x0530, 0x0590, "armenian"),
    (0x0590, 0x0600, "hebrew"),
    (0x0600, 0x0780, "arabic"),
    (0x0900, 0x0980, "devanagari"),
    (0x0B80, 0x0C00, "tamil"),
    (0x1C80, 0x1C90, "cyrillic"),
    (0x1E00, 0x1F00, "latin"),
    (0x1F00, 0x2000, "greek"),
    (0x2C60, 0x2C80, "latin"),
    (0x2DE0, 0x2E00, "cyrillic"),
    (0xA640, 0xA6A0, "cyrillic"),
    (0xA720, 0xA800, "latin"),
)


def script_of(word: str) -> str:
    """The script of a normalised word: that of its first letter which is not ASCII, so that
    a Latin abbreviation with a Cyrillic ending counts as Cyrillic; ``latin`` for ASCII."""
    if word.isascii():
        return "latin"
    for character in word:
        code = ord(character)
        if code > 0x7F:
            for first, end, script in _SCRIPT_RANGES:
                if first <= code < end:
                    return script
            return "other"
    return "latin"


def script_of_language(language: str) -> str:
    """The script a language is written in; Latin where nothing else is known."""
    return _SCRIPT_OF_LANGUAGE.get(language, "latin")


def language_for(script: str, language: str) -> str:
    """The language whose rules hold for words of a script in a document of a language."""
    if script_of_language(language) == script:
        return language
    return SCRIPT_DEFAULT[script]


_FUNCTION_WORDS: dict[str, str] = {
    # Words of place and time (after, between, without) are content: as function words they cost
    # SciFact .002 and deep-rag-gitlab .002 nDCG@10.
    "en": """a about all also am an and any are as at be because been being both but by can
        cannot could d did do does doing don each few for from further had has have
        having he her here hers herself him himself his how i if in into is it its
        itself just ll m me more most my myself no nor not of on once only or other our
        ours ourselves own please re s same shall she should so some such t than that
        the their theirs them themselves then there these they this those to too us ve
        very was we were what when where which while who whom whose why will with would
        you your yours yourself yourselves""",
    "ru": """а без бы был была были было быть в вам вами вас весь во вот все всего всем всех
        вся всё вы где да для до его ее если есть ещё еще её ею же за и из или им ими их
        к как какая какие каким каких какого какое какой какую кем ко когда кого кому
        которая которое которой которого котором которую которые которым которых который
        кто куда ли либо лишь между меня мне мной могу может можно мой моя моё мою мы на
        над нам нами нас наш наша наше наши не него нее неё ней нем нём нет ни ним ними
        них но ну о об однако он она они оно от п пожалуйста по под пп при про с сам
        сама сами само свои свой своя свою себе себя сколько со так такая также такие такое
        такой там те тебе тебя тем то тобой тогда того тоже той только том тот тут ты у
        уже хотя чего чей чем чему через что чтобы чья эта эти этим этих это этого этой
        этом этому этот эту я""",
    "uk": """а або без був була були було бути в вам вас ви від він вона вони воно все всі де
        для до є з за зі і із її їх й його коли ми мій моя на над нам нас наш не ні ним
        них о ось по при про та так також такий те ти то того тому тут у це цей ці ця чи
        що щоб як яка який які я""",
    "bg": """а ако без беше в вас ви все го да до за защо и из или им има их как какво като
        когато който която което които ли между ме ми много може на най над не него нея
        ни но от по под при с са само се си след съм със така тази те тези ти то това
        този той тя че ще я""",
    "de": """ab aber alle allem allen aller alles als also am an andere anderen auch auf aus
        bei beim bin bis bist bitte da damit dann das dass dein dem den denn der des
        dessen deren die dies diese diesem diesen dieser dieses doch dort du durch ein
        eine einem einen einer eines er es etwas euch euer für gegen habe haben hat
        hatte hatten hier hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins
        ist ja jede jedem jeden jeder jedes kann kein keine keinem keinen können man
        mein meine mich mir mit muss müssen nach nicht noch nun nur ob oder ohne sein
        seine seinem seinen seiner sich sie sind so soll sollen sollte über um und uns
        unser unsere unter vom von vor war waren was weil welche welchem welchen welcher
        welches wenn wer werde werden wie wieder will wir wird wo wurde wurden zu zum
        zur zwischen""",
    "fr": """à ai as au aucun aussi autre aux avait avant avec avez avoir c ce cela ces cet
        cette ceux chaque ci comme comment d dans de des donc dont du elle elles en
        encore entre es est et étaient était été être eu eux fait faire il ils j je l la
        le les leur leurs lorsque lui m ma mais me même mes moi mon n ne ni nos notre
        nous on ont ou où par pas peut plus pour pourquoi puis qu quand que quel quelle
        quelles quels qui quoi s sa sans se sera ses si son sont sous soit sur t ta te
        tes toi ton tous tout toute toutes très tu un une vers vos votre vous y""",
    "es": """a al algo algunos ante antes aquel aquella así aunque cada como cómo con cual
        cuál cuando cuándo de del desde donde dónde durante e el él ella ellas ellos en
        entre era eran es esa esas ese eso esos esta está están estas este esto estos
        fue fueron ha había han hasta hay la las le les lo los más me mi mis muy nada ni
        no nos nosotros nuestra nuestro o os otra otro para pero por porque puede pueden
        qué que quien quién se sea según ser si sí sido sin sobre son su sus también
        tanto te tiene tienen todo todos tu tus un una uno unos usted ustedes y ya yo""",
    "it": """a ad agli ai al alla alle allo anche avere c che chi ci cioè come con contro
        cosa cui d da dagli dai dal dalla dalle dallo degli dei del della delle dello di
        dopo dove e è ed era erano essere fra gli ha hanno ho i il in io l la le lei li
        lo loro lui ma mi mia mie miei mio negli nei nel nella nelle nello nessuno no
        noi non nostra nostro o ogni per perché però più può qual quale quali quando
        quanto quella quelle quelli quello questa queste questi questo qui se sei senza
        si sia siamo sono sopra sotto sua sue sugli sui sul sulla sulle suo suoi tra tu
        tutti tutto un una uno vi voi""",
    "pt": """a à ao aos aquela aquele aquilo as às até com como da das de dela dele deles
        depois do dos e é ela elas ele eles em entre era eram essa essas esse esses esta
        está estão estas este estes eu foi foram há isso isto já lhe mais mas me mesmo
        meu minha muito na não nas nem no nos nós nossa nosso num numa o onde os ou para
        pela pelas pelo pelos pode podem por porque qual quais quando que quem são se
        sem ser seu seus só sobre sua suas também te tem têm tu um uma umas uns você
        vocês""",
    "nl": """aan al alle als bij daar dan dat de der deze die dit doen door dus een en er ge
        geen had heb hebben heeft hem het hier hij hoe hun iemand iets ik in is ja je
        jij jou jouw kan kunnen maar me meer met mij mijn moet moeten na naar niet niets
        nog nu of om omdat ons onze ook op over te tegen tot u uit uw van veel voor waar
        waarom wanneer want waren was wat we wel welke werd wie wij wil worden wordt zal
        ze zich zij zijn zo zonder zou""",
    "pl": """a aby albo ale ani bez bo być był była było były być będzie ci co czy dla do gdy
        gdzie go i ich ile im innych ja jak jako jakie jaki jaka je jego jej jest
        jeszcze jeśli już kiedy kto która które którego której który których lub ma mi
        mnie moje może można my na nad nam nas nasz nie nim o od on ona one oni ono oraz
        po pod przed przez przy są się sobie ta tak także tam te tego tej ten to tu tych
        tylko tym w we więc wszystko z za ze że""",
    "cs": """a aby aj ale ani ano asi až bez bude budou by byl byla byli bylo být co či do i
        já jak jako je jeho jej její jejich jen ještě jsem jsou k kde kdo kdy kdyby
        která které který ke mezi mi mít mu může my na nad nám nás nebo není než o od on
        ona oni po pod podle pokud pro proč před při s se si své ta tak také te ten to
        tu ty u už v ve však vy z za ze že""",
    "sv": """alla allt än är att av blev bli blir de dem den denna deras dess det detta dig
        din du där då efter ej eller en er ett från för ha hade han har hans hon hur här
        i icke ingen inom inte jag kan man med mellan men mig min mot mycket ni nu när
        någon något några och om oss på sedan sig sin sina ska skulle som så till under
        upp ut utan vad var vara vem vi vid vilka vilken vilket vår våra är åt över""",
    "da": """af alle at blev bliver da de dem den denne der deres det dette dig din disse dog
        du efter eller en end er et for fra ham han hans har havde hende hun hvad hvis
        hvor hvordan i ikke ind jeg kan man med meget men mig min mod når ned noget
        nogle nu og også om op os over på sig sin skal skulle som sådan til ud under var
        ved vi vil ville vor være været""",
    "no": """at av begge ble bli blir da de dem den denne der deres det dette din disse du
        eller en enn er et ett etter for fordi fra før ha hadde han hans har henne her
        hun hva hvem hver hvis hvor hvordan i ikke inn jeg kan kun man med meg mellom
        men min mot må ned noe noen nå når og også om opp oss over på seg sin sine skal
        skulle som så til under ut uten var ved vi vil ville vår være vært""",
    "fi": """ei eivät emme en että he hän ja jo joka jonka jos jotka joten kanssa kuin kuka
        kun me mikä minkä minä missä mitä mutta myös ne nyt näin olen oli olivat olla on
        ovat sekä se sen sinä sitä tai te tämä tämän vaan vai voi ole tulee""",
    "tr": """ama ancak bana bazı ben bir biz bu bunu bunun çok çünkü da daha de değil diye en
        gibi hem her için ile ise kadar ki kim mı mi mu mü ne neden nasıl o olan olarak
        olduğu onlar onu onun sen siz şu tüm var ve veya ya yok""",
    "ro": """a acea aceasta această acest acesta ai al ale am ar are au avea că când care ce
        cea cel cele cei cu cum da dacă dar de decât deci din după ea ei el ele este eu
        fi fie fost iar îi îl în între la le lor lui mai mea meu mi ne nici noi nostru
        nu o ori pe pentru prin sau să se și sunt te tot un una unde unei unor unui va
        voi vor""",
    "hu": """a az azt és egy ez ezt hogy is meg nem de ha már csak mint vagy volt van kell
        azonban ezek azok aki ami amely minden ki mi én te ő ti ők lesz lehet be fel le
        el után között szerint nincs hol mikor miért hogyan""",
    "id": """ada adalah agar akan anda apa atau bagi bagaimana bahwa dalam dan dapat dari
        dengan di harus ia ini itu jika juga kami kapan karena ke kepada kita mereka
        oleh pada para saat saya sebagai secara seperti setelah siapa sudah telah tidak
        untuk yang""",
    "el": """αλλά αν από αυτά αυτή αυτό αυτός για δεν είναι εκ ένα ένας έχει έχουν η ή θα και
        κατά με μετά μη μια μας να ο οι όπως όταν ότι που πού προς πως πώς σε στα στη
        στην στις στο στον στους τα τη την της τι τις το τον του τους των ως""",
}


@cache
def function_words(language: str) -> frozenset[str]:
    """The words of a language that carry no subject, casefolded, with their diacritics."""
    return frozenset(_FUNCTION_WORDS.get(language, "").split())


_PREFIX = 2000
"""Characters that are looked at: some 300 words, about a hundred of them function words."""

_LETTERS = re.compile(r"[^\W\d_]+")
_LATIN_WORDS = re.compile("[a-z\u00df-\u024f]+")
_NOT_LATIN = re.compile("[^\0-\u036f\u1e00-\u1eff\u2000-\u2bff]")
_CYRILLIC = re.compile("[\u0400-\u052f]+")
_KANA = re.compile("[\u3041-\u30ff]")
_UNSPACED: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("th", re.compile("[\u0e01-\u0e5b]")),
    ("lo", re.compile("[\u0e81-\u0eff]")),
    ("my", re.compile("[\u1000-\u109f]")),
    ("km", re.compile("[\u1780-\u17ff]")),
)
_BY_SCRIPT = {"greek": "el", "arabic": "ar", "devanagari": "hi", "armenian": "hy", "tamil": "ta"}
_OWN_LETTERS: tuple[tuple[str, str], ...] = (("uk", "іїєґ"), ("be", "ў"), ("sr", "јљњћђ"))
_NAMES = {name: code for code, name in SNOWBALL.items()} | {
    "chinese": "zh",
    "japanese": "ja",
    "korean": "ko",
    "ukrainian": "uk",
    "русский": "ru",
    "deutsch": "de",
}
_SAME = {"nb": "no", "nn": "no", "iw": "he", "in": "id", "ji": "yi"}


@cache
def _votes(languages: tuple[str, ...]) -> dict[str, tuple[tuple[str, float], ...]]:
    owners: dict[str, list[str]] = {}
    for language in languages:
        for word in function_words(language):
            owners.setdefault(word, []).append(language)
    return {word: tuple((name, 1 / len(names)) for name in names) for word, names in owners.items()}


_VOTERS = {
    "latin": tuple(name for name in _FUNCTION_WORDS if script_of_language(name) == "latin"),
    "cyrillic": ("ru", "uk", "bg"),
}


def language_code(hint: str) -> str | None:
    """An ISO 639-1 code from what people write: ``ru``, ``ru-RU``, ``Russian``; else ``None``."""
    word = hint.strip().casefold()
    if word in _NAMES:
        return _NAMES[word]
    code = re.split(r"[-_]", word, maxsplit=1)[0]
    if len(code) == 2 and code.isascii() and code.isalpha():
        return _SAME.get(code, code)
    return None


def vote(words: list[str], languages: tuple[str, ...], default: str) -> str:
    """The language whose function words occur most among casefolded words; a word that
    several languages share counts for each in part. ``default`` where nothing is known."""
    votes = _votes(languages)
    totals = dict.fromkeys(languages, 0.0)
    for word in words:
        if word in votes:
            for language, share in votes[word]:
                totals[language] += share
    best = max(totals, key=totals.__getitem__, default=default)
    if not totals or totals[best] <= totals.get(default, 0.0):
        return default
    return best


_ADDRESS = re.compile(r"\w+://[^\s)>\]]+")


def detect_language(text: str, hint: str | None = None) -> str:
    """The language of a text by ISO 639-1 code: the hint where it names one, else by script
    and function words of the first 2,000 characters, else English."""
    if hint and (code := language_code(hint)):
        return code
    sample = text[:_PREFIX]
    # A quarter: text in another script with its markdown, links and code has more.
    if not sample.isascii():
        sample = _ADDRESS.sub(" ", sample)  # an address is no language
    if sample.isascii() or len(_NOT_LATIN.findall(sample)) * 4 < len(sample):
        return vote(_LATIN_WORDS.findall(sample.lower()), _VOTERS["latin"], "en")
    if sum(map(len, _CYRILLIC.findall(sample))) * 4 > len(sample):
        return _cyrillic(sample)
    kana, hangul, han = (len(p.findall(sample)) for p in (_KANA, _hangul(), _han()))
    words = [word.casefold() for word in _LETTERS.findall(sample)]
    letters = sum(map(len, words))
    unspaced = kana + hangul + han
    # A sign of an unspaced script says about as much as two letters of an alphabet.
    if unspaced * 2 > letters - unspaced:
        if hangul >= max(kana, 1):
            return "ko"
        return "ja" if kana * 10 > han else "zh"
    for code, pattern in _UNSPACED:
        if len(pattern.findall(sample)) * 2 > letters:
            return code
    scripts: dict[str, int] = {}
    for word in words:
        script = script_of(word)
        scripts[script] = scripts.get(script, 0) + len(word)
    script = max(scripts, key=scripts.__getitem__, default="latin")
    if script == "cyrillic":
        return _cyrillic(sample)
    if script in _BY_SCRIPT:
        if script == "arabic" and sum(sample.count(c) for c in "پچژگ") * 100 > scripts[script]:
            return "fa"
        return _BY_SCRIPT[script]
    if script == "hebrew":
        return "he"
    return vote(words, _VOTERS["latin"], "en")


# Wide classes are slow to compile, and most libraries never need them.
@cache
def _hangul() -> re.Pattern[str]:
    return re.compile("[\u1100-\u11ff\uac00-\ud7a3]")


@cache
def _han() -> re.Pattern[str]:
    return re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")


def _cyrillic(sample: str) -> str:
    words = _CYRILLIC.findall(sample.lower())
    letters = sum(map(len, words))
    own = {code: sum(map(sample.count, chars)) for code, chars in _OWN_LETTERS}
    code = max(own, key=own.__getitem__)
    # і, ї, є and ґ make up about 8 % of Ukrainian text, ў 1 % of Belarusian.
    if own["be"] * 200 > letters:
        return "be"
    if own[code] * 50 > letters:
        return code
    return vote(words, _VOTERS["cyrillic"], "ru")
