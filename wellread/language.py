"""The language a text is mostly written in, from its letters and commonest words."""

from __future__ import annotations

import re
from collections import Counter

_SAMPLE = 2_000
"""Characters looked at: a page's language shows in its first paragraphs."""

_WORD = re.compile(r"[^\W\d_]+")
_ADDRESS = re.compile(r"\]\([^()\n]*\)|https?://\S+")
_SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("zh", re.compile(r"[\u4e00-\u9fff]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("el", re.compile(r"[\u0370-\u03ff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
)
_COMMON = {
    # Function words of each language that are rare, or no words, in the others.
    "en": "the and of to is for with this that are you be or on from as it we by",
    "de": "der die das und ist nicht mit für von den ein eine auf dem zu sich wird sind im werden",
    "fr": "le les des et est une pour dans que pas avec sur vous nous sont du par aux au",
    "es": "el los las y una por con que para del se es su como más no al está son",
    "it": "il di che per una con non sono della nel gli alla è dei del si anche più dal",
    "pt": "o os as um uma não com para que por dos da do em se mais ao é são",
    "nl": "de het een van en is niet met voor op zijn aan te dat bij wordt worden ook door",
    "sv": "och att det som en är på för med av den inte till ett om har kan vi",
    "da": "og at det som en er på for med af den ikke til et om har kan vi der",
    "no": "og at det som en er på for med av den ikke til et om har kan vi fra",
    "fi": "ja on ei se että oli ovat joka myös kun tai mukaan voi sekä jos hän",
    "hu": "a az és hogy nem is egy van ez meg csak vagy mint kell azt minden",
    "ro": "și de la în cu nu pe că este pentru din sunt mai care să un o",
    "tr": "ve bir bu için ile de da çok olan olarak daha gibi var kadar ne",
}
_LANGUAGES_OF: dict[str, tuple[str, ...]] = {}
for _language, _words in _COMMON.items():
    for _word in _words.split():
        _LANGUAGES_OF[_word] = (*_LANGUAGES_OF.get(_word, ()), _language)


def language_of(text: str) -> str:
    """The ISO 639-1 code of the main language of a text, ``en`` where nothing tells."""
    sample = text[:_SAMPLE]
    if not sample.isascii():
        script = _script(sample)
        if script is not None:
            return script
    votes: Counter[str] = Counter()
    distinct: Counter[str] = Counter()
    words = Counter(_WORD.findall(sample.lower()))
    for word in words.keys() & _LANGUAGES_OF.keys():
        for language in _LANGUAGES_OF[word]:
            votes[language] += words[word]
            distinct[language] += 1
    # Code, names and single letters look like words of any language: three different function
    # words are the least that tells, and English is taken where it is nearly as common.
    told = [name for name in votes if distinct[name] >= 3 and votes[name] > votes["en"]]
    return max(told, key=lambda name: (votes[name], distinct[name], name)) if told else "en"


def _script(sample: str) -> str | None:
    """The language of the script that holds most letters, ``None`` for the Latin one."""
    sample = _ADDRESS.sub(" ", sample)  # Latin in any language
    latin = len(re.findall(r"[A-Za-z\u00c0-\u024f]", sample))
    counts = {language: len(pattern.findall(sample)) for language, pattern in _SCRIPTS}
    if counts["ja"] and counts["ja"] * 10 >= counts["zh"]:
        counts["ja"] += counts["zh"]  # Japanese is written in both scripts
    best = max(counts, key=lambda name: counts[name])
    # A sign of these scripts says more than a letter: three Han signs are a word of ten letters.
    weight = 3 if best in ("ja", "zh", "ko") else 1
    if counts[best] * weight <= latin:
        return None
    if best == "ru" and re.search(r"[іїєґ]", sample, re.IGNORECASE):
        return "uk"
    return best
