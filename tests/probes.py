"""Queries that must put the right document first, each in a library with near misses.

Data only: every engine and every layer above it runs the same table. A document is its path,
title and text; ``expect`` must be the first hit, or stand among the first ``within``.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class ProbeDocument:
    path: str
    title: str
    body: str
    language: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Probe:
    name: str
    query: str
    documents: tuple[ProbeDocument, ...]
    expect: str
    within: int = 1
    absent: tuple[str, ...] = ()
    """Paths that must not be found at all."""


def _document(path: str, title: str, body: str, language: str = "en") -> ProbeDocument:
    return ProbeDocument(path=path, title=title, body=body, language=language)


_FILLER = (
    _document("filler/canteen.md", "Canteen", "Lunch is served from noon to two in the hall."),
    _document("filler/parking.md", "Parking", "Spaces are assigned by the front desk every month."),
    _document(
        "filler/plants.md", "Office plants", "Water them on Mondays and turn them in spring."
    ),
    _document("filler/printer.md", "Printer", "Paper is in the cupboard, toner at the front desk."),
    _document("filler/stolovaya.md", "Столовая", "Обед подают с двенадцати до двух в зале.", "ru"),
    _document("filler/parkovka.md", "Парковка", "Места на стоянке распределяет охрана.", "ru"),
)


def _probe(
    name: str,
    query: str,
    right: tuple[str, ...],
    *others: tuple[str, ...],
    within: int = 1,
    absent: tuple[str, ...] = (),
) -> Probe:
    documents = tuple(_document(*fields) for fields in (*others, right))
    return Probe(
        name=name,
        query=query,
        documents=(*_FILLER, *documents),
        expect=right[0],
        within=within,
        absent=absent,
    )


PROBES: tuple[Probe, ...] = (
    _probe(
        "error code",
        "ERR-4412",
        ("errors/4412.md", "Upload errors", "The service answers ERR-4412 when the disk is full."),
        ("errors/4421.md", "Upload errors", "The service answers ERR-4421 when the key is wrong."),
        ("errors/err.md", "err err err", "What err means: err is short for error."),
        ("errors/4412-count.md", "4412 uploads", "We counted 4412 uploads on Monday."),
    ),
    _probe(
        "error code in lower case without the hyphen",
        "err 4412",
        ("errors/4412.md", "Upload errors", "The service answers ERR-4412 when the disk is full."),
        ("errors/4421.md", "Upload errors", "The service answers ERR-4421 when the key is wrong."),
        ("errors/err.md", "Errors", "What err means: err is short for error."),
        ("errors/4412-count.md", "Uploads", "We counted 4412 uploads on Monday."),
    ),
    _probe(
        "command with a flag",
        "provision-tenant --plan",
        ("ops/tenant.md", "New tenants", "Run `provision-tenant --plan gold` on the jump host."),
        ("ops/plan.md", "Plan for tenants", "The plan to provision a tenant is made in March."),
        ("ops/other.md", "New tenants", "Run `provision-tenant --region eu` on the jump host."),
        ("ops/project.md", "Project plan", "Plan, plan and plan again: the plan is everything."),
    ),
    _probe(
        "invoice number",
        "INV-2026-0041",
        ("invoices/a.md", "Invoice", "Payment for INV-2026-0041 is due within 30 days of March."),
        ("invoices/b.md", "INV-2026-0141", "INV-2026-0141 INV-2026-0141: INV 2026, INV 2026."),
        ("invoices/c.md", "Invoices 2026", "All INV numbers of 2026 start with INV-2026."),
        ("invoices/d.md", "0041", "Locker 0041 belongs to the archive."),
    ),
    _probe(
        "invoice number in a file name",
        "INV-2026-0041",
        ("invoices/a.md", "Scans", "The scan is stored as INV-2026-0041.pdf on the share."),
        ("invoices/b.md", "Scans", "The scan is stored as INV-2026-0141.pdf on the share."),
    ),
    _probe(
        "contract number",
        "contract 2026-041",
        ("contracts/041.md", "Frame contract", "The contract is registered under 2026-041."),
        ("contracts/inv.md", "Contract invoice", "The contract is billed by INV-2026-0041."),
        ("contracts/date.md", "Contract date", "The contract was signed on 2026-04-11 in 2026."),
    ),
    _probe(
        "contract number alone",
        "2026-041",
        ("contracts/041.md", "Frame contract", "The contract is registered under 2026-041."),
        ("contracts/inv.md", "Invoice", "The contract is billed by INV-2026-0041."),
        ("contracts/date.md", "Signed 2026-04-01", "Signed on 2026-04-01, page 041 of 2026."),
    ),
    _probe(
        "part number",
        "NS-40/2-A",
        ("parts/a.md", "Seals", "The seal for the pump is NS-40/2-A and comes in blue."),
        ("parts/b.md", "NS-40/2-B", "The seal NS-40/2-B is for the small pump, A side."),
        ("parts/c.md", "NS-40 series", "NS-40 seals: pages 2 and A of the NS-40 catalogue."),
    ),
    _probe(
        "SKU",
        "SKU 7781-XL",
        ("shop/xl.md", "Jackets", "The winter jacket has the SKU 7781-XL in all shops."),
        ("shop/l.md", "SKU 7781-L", "The SKU 7781-L is the winter jacket in large; XL is out."),
        ("shop/sku.md", "SKU", "An SKU is a stock keeping unit; every SKU is unique."),
    ),
    _probe(
        "clause by section sign",
        "§ 4.2.1",
        ("rules/agreement.md", "Agreement", "Under clause 4.2.1 the supplier pays the freight."),
        ("rules/422.md", "4.2.2", "Under clause 4.2.2 the buyer pays; see 4.2 and 1."),
        ("rules/1421.md", "Agreement", "Clause 14.2.1 is about something else."),
        ("rules/42.md", "Chapter 4", "Chapter 4.2 has 1 page."),
    ),
    _probe(
        "clause in Russian",
        "п. 4.2.1",
        ("rules/dogovor.md", "Договор", "Согласно п. 4.2.1 перевозку платит поставщик.", "ru"),
        ("rules/422.md", "Договор", "Согласно п. 4.2.2 перевозку платит покупатель, п. 1.", "ru"),
        ("rules/punkt.md", "П. П. Петров", "П. п. п. и ещё раз п. без номера.", "ru"),
    ),
    _probe(
        "snake case",
        "snake_case_name",
        ("code/a.md", "Fields", "The field snake_case_name holds the label of the row."),
        ("code/b.md", "Snake case", "A snake in a case has a name; case by case, name by name."),
        ("code/c.md", "Fields", "The field snake_case_id holds the key; its name is long."),
    ),
    _probe(
        "camel case name",
        "camel case name",
        ("code/a.md", "Fields", "The field camelCaseName holds the label of the row."),
        ("code/b.md", "Animals", "A camel drinks. In any case it has humps."),
        ("code/c.md", "Fields", "The field camelCaseId holds the key of the row."),
        ("code/d.md", "Names", "Every name has a case of its own."),
    ),
    _probe(
        "camel case as written",
        "camelCaseName",
        ("code/a.md", "Fields", "The field camelCaseName holds the label of the row."),
        ("code/b.md", "Camel", "A camel has a name, in any case. Camel, camel, camel."),
        ("code/c.md", "camelCaseId", "The field camelCaseId has no name."),
    ),
    _probe(
        "camel case in lower case",
        "camelcasename",
        ("code/a.md", "Fields", "The field camelCaseName holds the label of the row."),
        ("code/b.md", "Camel", "A camel has a name, in any case."),
    ),
    _probe(
        "version",
        "v2.13.0",
        ("releases/2130.md", "Release notes", "Fixed in v2.13.0: exports keep their order."),
        ("releases/2131.md", "v2.13.1", "Fixed in v2.13.1: exports of v2 keep 13 columns, 0 lost."),
        ("releases/230.md", "Release notes", "Fixed in v2.3.0: logins."),
    ),
    _probe(
        "version without its letter",
        "2.13.0",
        ("releases/2130.md", "Release notes", "Fixed in v2.13.0: exports keep their order."),
        ("releases/2131.md", "2.13.1", "Fixed in 2.13.1: exports keep 13 columns, 0 lost, 2 won."),
    ),
    _probe(
        "e-mail address",
        "ann@example.com",
        ("people/desk.md", "Front desk", "Write to <ann@example.com> for a badge."),
        ("people/bob.md", "Bob", "Write to bob@example.com; Ann sits next to him."),
        ("people/ann.md", "Ann, Ann", "Ann is an example to us all. example.com is ours."),
    ),
    _probe(
        "path",
        "Downloads/transcripts",
        ("how/record.md", "Recording", "Files land in ~/Downloads/transcripts after the call."),
        ("how/downloads.md", "Downloads", "Downloads are kept 30 days. Transcripts are not."),
        ("how/clean.md", "Transcripts", "Delete transcripts from Downloads/archive yearly."),
    ),
    _probe(
        "qualified name",
        "a::b",
        ("code/ab.md", "Modules", "Call a::b from the main loop once."),
        ("code/ac.md", "a b", "Call a::c, a and b, from plan b or plan a."),
    ),
    _probe(
        "dotted name",
        "health.base",
        ("code/health.md", "Checks", "The module health.base is loaded at start."),
        ("code/word.md", "Health base", "The base of health is sleep. Health has no other base."),
        ("code/other.md", "health.extra", "The module health.extra builds on a base."),
    ),
    _probe(
        "Japanese word",
        "経費精算",
        ("ja/keihi.md", "手続き", "出張後は経費精算を五日以内に行ってください。", "ja"),
        ("ja/seisan.md", "精算", "給与の精算と会社の経費は別に扱います。", "ja"),
        ("ja/yasumi.md", "休暇", "休暇は上司に申請してください。", "ja"),
    ),
    _probe(
        "Japanese word of three signs",
        "領収書",
        ("ja/ryoshu.md", "添付書類", "領収書を必ず添付してください。", "ja"),
        ("ja/ryodo.md", "領土", "領土と収入と書類の話です。", "ja"),
    ),
    _probe(
        "Russian case",
        "оплаты",
        ("ru/oplata.md", "Счета", "Полная оплата производится после приёмки.", "ru"),
        ("ru/plan.md", "План", "План на год и платье для праздника.", "ru"),
    ),
    _probe(
        "Russian plural",
        "договорами",
        ("ru/dogovor.md", "Закупки", "На каждую закупку нужен договор.", "ru"),
        ("ru/dogovorilis.md", "Встреча", "О встрече говорили вчера.", "ru"),
    ),
    _probe(
        "company by half its name",
        "Северсталь",
        ("ru/ss.md", "Договор", "Заказчик: «Северсталь-Сервис», срок один год.", "ru"),
        ("ru/servis.md", "Сервис", "Сервис для севера: сталь и прокат.", "ru"),
    ),
    _probe(
        "company in a case, after a preposition",
        "с Северсталью",
        ("ru/ss.md", "Договор", "Заказчик: «Северсталь-Сервис», срок один год.", "ru"),
        ("ru/s.md", "С нами", "С кем и с чем мы работаем: с севером, со сталью.", "ru"),
    ),
    _probe(
        "surname in an oblique case",
        "Кузнецову",
        ("ru/kuznetsov.md", "Отпуска", "Заявление подписывает Кузнецов в понедельник.", "ru"),
        ("ru/kuznitsa.md", "Кузница", "Кузница открыта для экскурсий.", "ru"),
    ),
    _probe(
        "surname in the nominative, text in a case",
        "Кузнецов",
        ("ru/kuznetsov.md", "Отпуска", "Заявление передают Кузнецовой в понедельник.", "ru"),
        ("ru/kuznitsa.md", "Кузница", "Кузница открыта для экскурсий.", "ru"),
    ),
    _probe(
        "ё written as е",
        "елка",
        ("ru/elka.md", "Праздник", "Ёлка стоит в холле до пятницы.", "ru"),
        ("ru/palka.md", "Палка", "Палка для селфи лежит у охраны. Белка тоже.", "ru"),
    ),
    _probe(
        "part of a German compound",
        "Krankmeldung",
        ("de/formular.md", "Vorlagen", "Das Krankmeldungsformular liegt im Sekretariat.", "de"),
        ("de/krank.md", "Krank", "Wer krank ist, bleibt zu Hause und macht eine Meldung.", "de"),
    ),
    _probe(
        "part of a German compound among the word itself",
        "Krankmeldung",
        ("de/formular.md", "Vorlagen", "Das Krankmeldungsformular liegt im Sekretariat.", "de"),
        ("de/1.md", "Fristen", "Die Krankmeldung kommt am ersten Tag.", "de"),
        ("de/2.md", "Abwesenheit", "Ohne Krankmeldung gilt der Tag als Urlaub.", "de"),
        ("de/3.md", "Kinder", "Auch für ein Kind braucht es eine Krankmeldung.", "de"),
        ("de/krank.md", "Krank", "Wer krank ist, bleibt zu Hause.", "de"),
        within=8,
    ),
    _probe(
        "misspelt word",
        "onboarding cusotmer",
        ("how/customer.md", "Welcome", "Onboarding a new customer takes three calls."),
        ("how/hire.md", "Onboarding", "Onboarding for a new colleague takes three weeks."),
        ("how/custom.md", "Habits", "It is our habit to greet everybody."),
    ),
    _probe(
        "English plural",
        "payments",
        ("pay/payment.md", "Terms", "The first payment is due on signing."),
        ("pay/pavement.md", "Pavement", "The pavement before the house is ours."),
    ),
    _probe(
        "one absent word",
        "quarterly payment zebra",
        ("pay/quarter.md", "Terms", "The quarterly payment is due in advance."),
        ("pay/year.md", "Terms", "The yearly fee is due in advance."),
    ),
    _probe(
        "quoted phrase",
        '"payment terms"',
        ("pay/terms.md", "Northern", "The payment terms are 30 days net."),
        ("pay/loose.md", "Payment", "Terms of payment: the payment follows the terms."),
        absent=("pay/loose.md",),
    ),
    _probe(
        "quoted phrase in Russian quotes",
        "«условия оплаты»",
        ("ru/usloviya.md", "Северный", "Условия оплаты: тридцать дней.", "ru"),
        ("ru/loose.md", "Оплата", "Оплата и другие условия, условия и оплата.", "ru"),
        absent=("ru/loose.md",),
    ),
    _probe(
        "operators are ordinary characters",
        "NOT payment: -terms AND (title:x OR *)",
        ("pay/terms.md", "Northern", "The payment terms are 30 days net."),
        ("pay/loose.md", "Garden", "Neither of them is here."),
    ),
    _probe(
        "a whole question",
        "What are the payment terms that we have with Northern Steel?",
        ("pay/steel.md", "Northern Steel", "Payment terms: invoices are due in 30 days."),
        ("pay/what.md", "What we have", "What are we, and what have we that they have with us?"),
        ("pay/wood.md", "Southern Wood", "Payment terms: invoices are due in 60 days."),
    ),
)
