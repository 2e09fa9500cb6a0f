"""Make company.db, the small sales database of the example company.

Usage: python make_company_db.py [PATH]      (PATH defaults to company.db beside this script)

The content is fixed and seen from TODAY; two runs write the same file. Amounts are US dollars.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Sequence
from pathlib import Path

TODAY = "2026-06-15"

SCHEMA = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL);

-- Who may see a table or view: groups of groups.yaml separated by blanks; 'everyone' is every signed-in caller.
CREATE TABLE table_access (name TEXT PRIMARY KEY, allowed TEXT NOT NULL, note TEXT NOT NULL);

CREATE TABLE clients (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    name_ru TEXT,
    country TEXT NOT NULL,
    industry TEXT NOT NULL,
    client_since TEXT NOT NULL
);

CREATE TABLE deals (
    id INTEGER PRIMARY KEY,
    client_id INTEGER NOT NULL REFERENCES clients (id),
    title TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('won', 'lost', 'open')),
    opened_on TEXT NOT NULL,
    closed_on TEXT,                          -- empty while the deal is open
    amount INTEGER NOT NULL CHECK (amount > 0),
    contract TEXT,
    CHECK ((status = 'open') = (closed_on IS NULL))
);

CREATE TABLE payments (
    id INTEGER PRIMARY KEY,
    deal_id INTEGER NOT NULL REFERENCES deals (id),
    invoice TEXT NOT NULL UNIQUE,
    issued_on TEXT NOT NULL,
    due_on TEXT NOT NULL,
    paid_on TEXT,                            -- empty while the invoice is unpaid
    amount INTEGER NOT NULL CHECK (amount > 0)
);

CREATE TABLE employees (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    team TEXT NOT NULL,
    office TEXT NOT NULL,
    level INTEGER NOT NULL
);

CREATE TABLE salaries (
    employee_id INTEGER NOT NULL REFERENCES employees (id),
    valid_from TEXT NOT NULL,
    base INTEGER NOT NULL,                   -- a month
    note TEXT,
    PRIMARY KEY (employee_id, valid_from)
);

CREATE VIEW earned_by_client AS
SELECT c.name AS client, substr(d.closed_on, 1, 4) AS year, sum(d.amount) AS earned
FROM deals d JOIN clients c ON c.id = d.client_id
WHERE d.status = 'won'
GROUP BY c.name, year;

CREATE VIEW received_by_client AS
SELECT c.name AS client, substr(p.paid_on, 1, 4) AS year, sum(p.amount) AS received
FROM payments p JOIN deals d ON d.id = p.deal_id JOIN clients c ON c.id = d.client_id
WHERE p.paid_on IS NOT NULL
GROUP BY c.name, year;

CREATE VIEW current_salaries AS
SELECT e.name, e.team, e.level, s.base, s.note
FROM employees e JOIN salaries s ON s.employee_id = e.id
WHERE s.valid_from = (SELECT max(valid_from) FROM salaries t WHERE t.employee_id = e.id);
"""

TABLE_ACCESS = [
    ("about", "everyone", "the fixed day and the currency"),
    ("clients", "sales support management", ""),
    ("deals", "sales management", ""),
    ("earned_by_client", "sales management", "deals won, by year of closing"),
    ("payments", "sales management", ""),
    ("received_by_client", "sales management", "invoices paid, by year of payment"),
    ("employees", "everyone", "who works where; no pay"),
    ("salaries", "hr management", "nobody else learns a figure, an average or a count"),
    ("current_salaries", "hr management", "nobody else learns a figure, an average or a count"),
]

CLIENTS = [
    (1, "Northern Steel Service", "Северсталь-Сервис", "Kazakhstan", "steel", "2025-06-17"),
    (2, "Halvorsen Cement", None, "Norway", "cement", "2026-01-16"),
    (3, "Kaspiy Logistics", "Каспий-Логистика", "Kazakhstan", "port", "2025-10-06"),
    (4, "Tobol Energo", "Тобол-Энерго", "Kazakhstan", "power", "2024-04-22"),
    (5, "Lindqvist Paper", None, "Sweden", "paper", "2023-09-04"),
    (6, "Northern Star Foods", None, "Estonia", "food", "2024-11-11"),
    (7, "Altyn Copper", "Алтын-Медь", "Kazakhstan", "mining", "2025-03-03"),
    (8, "Brennhof Tyres", None, "Germany", "rubber", "2024-02-19"),
    (9, "Yermek Glass", "Ермек-Стекло", "Kazakhstan", "glass", "2025-12-08"),
]

DEALS = [
    (
        1,
        1,
        "Pilot, one line of the rolling mill",
        "won",
        "2025-03-10",
        "2025-06-17",
        85_000,
        "2025-022",
    ),
    (2, 1, "Three plants", "won", "2025-11-24", "2026-02-03", 480_000, "2026-041"),
    (3, 1, "Spare parts", "lost", "2026-01-20", "2026-03-24", 60_000, None),
    (4, 2, "One plant, two kilns", "won", "2025-09-15", "2026-01-16", 190_000, "2026-014"),
    (5, 2, "Quarry conveyors", "open", "2026-05-04", None, 74_000, None),
    (6, 3, "Cranes and conveyors", "won", "2025-05-26", "2025-10-06", 112_000, "2025-041"),
    (7, 3, "Second terminal", "open", "2026-04-13", None, 98_000, None),
    (8, 4, "Turbines 1-4", "won", "2024-01-15", "2024-04-22", 134_000, "2024-019"),
    (9, 4, "Renewal 2026", "won", "2026-01-12", "2026-04-20", 61_000, "2026-088"),
    (10, 5, "Paper machine 2", "won", "2023-05-08", "2023-09-04", 97_000, "2023-031"),
    (11, 5, "Paper machine 3", "lost", "2025-02-03", "2025-07-14", 105_000, None),
    (12, 6, "Cold store compressors", "won", "2024-08-26", "2024-11-11", 43_000, "2024-052"),
    (13, 6, "Second cold store", "won", "2026-02-02", "2026-05-11", 47_500, "2026-095"),
    (14, 7, "Concentrator", "won", "2024-10-07", "2025-03-03", 226_000, "2025-009"),
    (15, 7, "Underground fans", "lost", "2025-10-20", "2026-02-16", 150_000, None),
    (16, 8, "Mixing hall", "won", "2023-11-13", "2024-02-19", 118_000, "2024-008"),
    (17, 8, "Calender line", "open", "2026-03-30", None, 83_000, None),
    (18, 9, "Furnace fans", "won", "2025-08-18", "2025-12-08", 52_000, "2025-060"),
]

PAYMENTS = [
    (1, 1, "INV-2025-0163", "2025-06-18", "2025-08-17", "2025-08-11", 42_500),
    (2, 1, "INV-2025-0371", "2025-12-05", "2026-02-03", "2025-12-29", 42_500),
    (3, 2, "INV-2026-0041", "2026-02-04", "2026-03-06", "2026-03-02", 144_000),
    (4, 2, "INV-2026-0139", "2026-06-02", "2026-07-02", None, 240_000),
    (5, 4, "INV-2026-0014", "2026-01-19", "2026-03-05", "2026-03-04", 76_000),
    (6, 4, "INV-2026-0102", "2026-04-27", "2026-06-11", None, 76_000),
    (7, 6, "INV-2025-0298", "2025-10-06", "2025-10-27", "2025-10-24", 28_000),
    (8, 6, "INV-2026-0067", "2026-02-27", "2026-03-20", "2026-03-19", 56_000),
    (9, 6, "INV-2026-0141", "2026-06-04", "2026-06-25", None, 28_000),
    (10, 9, "INV-2026-0098", "2026-04-21", "2026-05-21", "2026-05-20", 61_000),
    (11, 13, "INV-2026-0117", "2026-05-12", "2026-06-11", "2026-06-09", 47_500),
    (12, 14, "INV-2025-0071", "2025-03-04", "2025-04-03", "2025-04-02", 113_000),
    (13, 14, "INV-2025-0240", "2025-09-01", "2025-10-01", "2025-10-09", 113_000),
    (14, 18, "INV-2025-0377", "2025-12-09", "2026-01-08", "2026-01-06", 52_000),
]

EMPLOYEES = [
    (1, "Aigerim Sadykova", "Management", "Almaty", 5),
    (2, "Marina Ostashova", "Finance", "Almaty", 5),
    (3, "Max Reuter", "Management", "Tallinn", 5),
    (4, "Henrik Lauritsen", "Engineering", "Tallinn", 5),
    (5, "Timur Bekov", "Sales", "Almaty", 4),
    (6, "Boris Titov", "Support", "Almaty", 4),
    (7, "Lena Voss", "Legal", "Tallinn", 4),
    (8, "Vera Gromova", "People", "Almaty", 4),
    (9, "Ann Keller", "Sales", "Tallinn", 3),
    (10, "Igor Saparov", "Engineering", "Almaty", 3),
    (11, "Pyotr Grechishkin", "Finance", "Almaty", 3),
    (12, "Saule Akhmetova", "Marketing", "Almaty", 3),
    (13, "Dana Whitlock", "Product", "Tallinn", 3),
    (14, "Yerlan Zhumabayev", "Engineering", "Almaty", 3),
    (15, "Madina Ospanova", "Support", "Almaty", 1),
]

SALARIES = [
    (1, "2025-04-01", 7_600, None),
    (1, "2026-04-01", 8_000, "top of the band"),
    (2, "2025-04-01", 6_350, None),
    (2, "2026-04-01", 6_750, None),
    (3, "2025-04-01", 6_350, None),
    (3, "2026-04-01", 6_750, None),
    (4, "2025-04-01", 6_700, None),
    (4, "2026-04-01", 7_200, "market correction"),
    (5, "2025-04-01", 4_600, None),
    (5, "2026-04-01", 4_840, "plan bonus grows instead"),
    (6, "2025-04-01", 4_100, None),
    (6, "2026-04-01", 4_390, None),
    (7, "2025-04-01", 4_800, None),
    (7, "2026-04-01", 5_100, None),
    (8, "2025-04-01", 4_450, None),
    (8, "2026-04-01", 4_730, None),
    (9, "2025-04-01", 2_900, None),
    (9, "2026-04-01", 3_050, "plan bonus grows instead"),
    (10, "2025-04-01", 3_200, None),
    (10, "2026-04-01", 3_440, "market correction"),
    (11, "2025-04-01", 2_700, None),
    (11, "2026-04-01", 2_870, None),
    (12, "2025-04-01", 2_650, None),
    (12, "2026-04-01", 2_820, None),
    (13, "2025-04-01", 3_000, None),
    (13, "2026-04-01", 3_190, None),
    (14, "2025-04-01", 3_100, None),
    (14, "2026-04-01", 3_330, "counter-offer, counts against next year"),
    (15, "2026-03-02", 1_100, "internship until September"),
]


def make(path: Path) -> None:
    """Write the database to `path`; a file that is there already is replaced."""
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    try:
        with connection:
            connection.executescript(SCHEMA)
            connection.executemany(
                "INSERT INTO about VALUES (?, ?)",
                [("today", TODAY), ("currency", "USD"), ("company", "Alderline")],
            )
            tables: list[tuple[str, Sequence[tuple[str | int | None, ...]]]] = [
                ("table_access", TABLE_ACCESS),
                ("clients", CLIENTS),
                ("deals", DEALS),
                ("payments", PAYMENTS),
                ("employees", EMPLOYEES),
                ("salaries", SALARIES),
            ]
            for table, rows in tables:
                marks = ", ".join("?" * len(rows[0]))
                connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
    finally:
        connection.close()


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("company.db")
    make(path)
    print(path)


if __name__ == "__main__":
    main()
