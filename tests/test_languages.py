from __future__ import annotations

import pytest

from wellread.languages import detect_language, function_words, language_code, script_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The payment of invoices is due within thirty days.", "en"),
        ("Die Zahlung der Rechnung ist innerhalb von 30 Tagen fällig.", "de"),
        ("Оплата счетов производится в течение тридцати дней.", "ru"),
        ("Договорът се подписва от страните и не може да се променя.", "bg"),
        ("Це договір про оплату і строки її внесення.", "uk"),
        ("Le paiement des factures est dû dans les trente jours.", "fr"),
        ("El pago de las facturas es en treinta días.", "es"),
        ("Il pagamento delle fatture è dovuto entro trenta giorni.", "it"),
        ("O pagamento das faturas não é feito em trinta dias.", "pt"),
        ("De betaling van de facturen is binnen dertig dagen.", "nl"),
        ("Płatność za faktury jest w ciągu trzydziestu dni i nie później.", "pl"),
        ("経費精算の方法について", "ja"),
        ("领收书管理办法", "zh"),
        ("한국어 문서입니다", "ko"),
        ("Ο φόρος είναι υψηλός", "el"),
        ("การเบิกค่าใช้จ่าย", "th"),
        ("Krankmeldungsformular", "en"),
        ("", "en"),
    ],
)
def test_language_is_told_by_script_and_function_words(text: str, language: str) -> None:
    assert detect_language(text) == language


def test_a_written_language_wins_over_a_guess() -> None:
    assert detect_language("The payment is due", "de-AT") == "de"
    assert detect_language("The payment is due", "Russian") == "ru"
    assert detect_language("The payment is due", "???") == "en"


def test_mostly_cyrillic_text_with_code_is_russian() -> None:
    text = "Запустите `provision-tenant --plan` и проверьте, что сервис отвечает на запросы."
    assert detect_language(text) == "ru"


def test_language_names_and_regions_are_understood() -> None:
    assert language_code("EN_us") == "en"
    assert language_code("nb") == "no"
    assert language_code("no idea") is None


def test_function_words_of_an_unknown_language_are_none() -> None:
    assert function_words("xx") == frozenset()
    assert script_of("abcя") == "cyrillic"
