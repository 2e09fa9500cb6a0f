"""How much hangs on a task: by what it says, in English and Russian, and by nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from wellread.errors import ConfigError, UsageError
from wellread.stakes import load_rules, stakes_of

LOW = (
    "what's our office address?", "where is the office", "phone number of the reception",
    "opening hours of the Tallinn office", "who is the CFO", "which logo do we use",
    "какой у нас адрес офиса", "номер телефона приёмной", "часы работы склада",
    "где находится офис в Алматы", "пароль от wifi",
)  # fmt: skip
NORMAL = (
    "how many vacation days do I have", "per diem abroad", "refund of $500",
    "how do we handle refunds", "onboarding a new enterprise customer",
    "why did the payment service go down", "enterprise pricing", "brand voice for newsletters",
    "сколько суточных положено за границей", "как оформить командировку",
    "что делать, если болит горло и нужен отгул", "кому передать обращение клиента",
    "возврат на 5 000 рублей",
)  # fmt: skip
HIGH = (
    "can I issue this $50K refund?", "a refund of 12,000 euros", "may we sue the supplier",
    "the customer threatens a lawsuit", "is this a breach of contract",
    "may we disclose a patient's health data", "share the diagnosis with his manager",
    "export personal data to a partner", "copy of her passport", "drop the database on staging",
    "permanently delete old invoices", "can I approve this discount", "am I authorised to sign",
    "who may sign for the company", "wipe the laptop of a leaver",
    "возврат на 1,5 млн рублей", "клиент грозит подать в суд", "утечка данных клиентов",
    "можно ли передать персональные данные третьим лицам", "данные о здоровье сотрудника",
    "могу ли я подписать договор", "имею ли я право дать скидку", "безвозвратно удалить записи",
    "расторгнуть договор с поставщиком",
)  # fmt: skip
AMOUNT = 10_000.0


@pytest.mark.parametrize(
    ("task", "name"),
    [
        *((task, "low") for task in LOW),
        *((task, "normal") for task in NORMAL),
        *((task, "high") for task in HIGH),
    ],
)
def test_stakes_are_inferred_from_the_task(task: str, name: str) -> None:
    found = stakes_of(task, given=None, rules=load_rules(), amount=AMOUNT)
    assert found.name == name, found.reason
    if name != "normal":
        assert "('" in found.reason or '("' in found.reason


def test_one_high_rule_outweighs_a_low_one() -> None:
    task = "send the office address and the passport of the guest"
    assert stakes_of(task, given=None, rules=load_rules(), amount=AMOUNT).name == "high"


def test_what_is_given_holds_and_the_sensitivity_of_the_words_stays() -> None:
    found = stakes_of("home address of Ann", given="Low", rules=load_rules(), amount=AMOUNT)
    assert (found.name, found.reason, found.sensitivity) == ("low", "as given", "personal")


def test_amount_is_a_setting() -> None:
    for amount, name in ((500.0, "high"), (501.0, "normal")):
        assert stakes_of("refund $500", given=None, rules=load_rules(), amount=amount).name == name


def test_unknown_stakes_name_the_known_ones() -> None:
    with pytest.raises(UsageError, match="Known: low, normal, high"):
        stakes_of("x", given="huge", rules=(), amount=AMOUNT)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("rule = 1", "must hold"),
        ("[[rule]]\nname = 'a'\nstakes = 'huge'\nwords = ['b']", "has stakes 'huge'"),
        ("[[rule]]\nname = 'a'\nstakes = 'high'", "fits nothing"),
        ("[[rule]]\nname = 'a'\nstakes = 'high'\nwords = ['…']", "fits nothing"),
        ("[[rule]]\nname = 'a'\nstakes = 'high'\nword = ['b']", "something else than"),
        ("[[rule]]\nname = 'a'\nstakes = 'high'\nwords = 'b'", "no list of texts"),
        ("[[rule]]\nname='a'\nstakes='high'\nwords=['b']\nsensitivity='x'", "sensitivity 'x'"),
        ("[[rule", "no TOML"),
    ],
)
def test_rules_that_cannot_be_understood_are_told(tmp_path: Path, written: str, said: str) -> None:
    file = tmp_path / "stakes.toml"
    file.write_text(written)
    with pytest.raises(ConfigError, match=said):
        load_rules(file)


def test_missing_file_of_rules_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_rules(tmp_path / "none.toml")
