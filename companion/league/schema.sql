-- The league's tables. The log (clubs, tables, sessions, entries, forks) is facts and is only added
-- to; the projections are made anew from it by `companion league rebuild`, to the same content.

CREATE TABLE clubs (
    club int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uid uuid NOT NULL UNIQUE,
    name text NOT NULL UNIQUE
);

-- The word by which tables join, and until when it is good.
CREATE TABLE codes (
    club int PRIMARY KEY REFERENCES clubs,
    code text NOT NULL UNIQUE,
    until timestamptz NOT NULL
);

CREATE TABLE tables (
    club int NOT NULL REFERENCES clubs,
    tbl int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key bytea NOT NULL CHECK (length(key) = 32),
    name text NOT NULL,
    joined timestamptz NOT NULL DEFAULT now(),
    left_at timestamptz,
    UNIQUE (club, key)
);

-- The club's own: joined, merged, and forgotten on request, when the name is NULL.
CREATE TABLE people (
    club int NOT NULL REFERENCES clubs,
    person uuid PRIMARY KEY,
    name text,
    merged_into uuid REFERENCES people
);

-- The log. `begun` and `written`: microseconds since 1970; `setup`, `body`: the journal's bytes as
-- they are. A session's head changes, nothing else; `tests/league` holds that to it. `parent`: the
-- frozen session that this one was until entry `forked_at`. `seats_told`: the number of what was last
-- told of who sits there; what has none greater was sent by somebody who heard it.
CREATE TABLE sessions (
    club int NOT NULL REFERENCES clubs,
    session uuid PRIMARY KEY,
    tbl int NOT NULL REFERENCES tables,
    game text NOT NULL,
    begun bigint NOT NULL,
    setup bytea NOT NULL,
    next int NOT NULL DEFAULT 0,
    head bytea NOT NULL,
    signature bytea NOT NULL,
    state text NOT NULL DEFAULT 'open'
        CHECK (state IN ('open', 'over', 'forked', 'foreign_game', 'malformed')),
    parent uuid REFERENCES sessions,
    forked_at int,
    seats_told bigint NOT NULL DEFAULT 0
);
CREATE INDEX ON sessions (club, begun);
CREATE INDEX ON sessions (tbl, begun);
CREATE INDEX ON sessions (club) WHERE next = 0;
CREATE INDEX ON sessions (parent) WHERE parent IS NOT NULL;

CREATE TABLE entries (
    session uuid NOT NULL REFERENCES sessions,
    sequence int NOT NULL,
    feed bigint NOT NULL,
    written bigint NOT NULL,
    kind text NOT NULL,
    at int NOT NULL,
    format smallint NOT NULL,
    body bytea NOT NULL,
    digest bytea NOT NULL,
    PRIMARY KEY (session, sequence)
);
CREATE INDEX ON entries (feed);

-- What a table sent for a place that holds something else already: kept as evidence.
CREATE TABLE forks (
    session uuid NOT NULL,
    sequence int NOT NULL,
    digest bytea NOT NULL,
    entry jsonb NOT NULL,
    signature bytea NOT NULL,
    seen timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (session, sequence, digest)
);

-- A club's feed is a counter row, updated in the transaction: its order is the order of commits. (A
-- sequence's is not: a late commit would be missed for ever.)
CREATE TABLE feed (
    club int PRIMARY KEY REFERENCES clubs,
    last bigint NOT NULL DEFAULT 0
);

-- Answers ok, had, gap, fork, not_chained, not_yours, unknown, and which sequence is next.
CREATE FUNCTION append(
    p_tbl int, p_session uuid, p_first int, p_before bytea,
    p_written bigint[], p_kind text[], p_at int[], p_format smallint[], p_body bytea[], p_digest bytea[],
    p_sig bytea, OUT answer text, OUT next int
) LANGUAGE plpgsql AS $$
DECLARE
    s sessions;
    n int := cardinality(p_body);
    f bigint;
    k int;
BEGIN
    SELECT * INTO s FROM sessions WHERE session = p_session FOR UPDATE;
    IF NOT FOUND THEN answer := 'unknown'; next := 0; RETURN; END IF;
    next := s.next;
    IF s.tbl <> p_tbl THEN answer := 'not_yours'; RETURN; END IF;
    IF p_first > s.next THEN answer := 'gap'; RETURN; END IF;
    -- What overlaps must be the same, or it is a fork (ON CONFLICT DO NOTHING would swallow it).
    SELECT e.sequence INTO k FROM entries e
        WHERE e.session = p_session AND e.sequence >= p_first AND e.sequence < p_first + n
        AND e.digest <> p_digest[e.sequence - p_first + 1] ORDER BY 1 LIMIT 1;
    IF FOUND THEN
        INSERT INTO forks VALUES (
            p_session, k, p_digest[k - p_first + 1],
            jsonb_build_object(
                'written', p_written[k - p_first + 1], 'kind', p_kind[k - p_first + 1],
                'at', p_at[k - p_first + 1], 'format', p_format[k - p_first + 1],
                'body', encode(p_body[k - p_first + 1], 'base64')
            ), p_sig
        ) ON CONFLICT DO NOTHING;
        UPDATE sessions SET state = 'forked' WHERE session = p_session;
        answer := 'fork'; next := k; RETURN;
    END IF;
    IF s.state = 'forked' THEN answer := 'fork'; RETURN; END IF;
    IF p_first + n <= s.next THEN answer := 'had'; RETURN; END IF;
    IF p_first = s.next AND p_before <> s.head THEN answer := 'not_chained'; RETURN; END IF;
    UPDATE feed SET last = last + (p_first + n - s.next) WHERE club = s.club RETURNING last INTO f;
    INSERT INTO entries
        SELECT p_session, q, f - (p_first + n - 1 - q),
            p_written[i], p_kind[i], p_at[i], p_format[i], p_body[i], p_digest[i]
        FROM generate_series(s.next, p_first + n - 1) q, LATERAL (SELECT q - p_first + 1) x(i);
    UPDATE sessions SET next = p_first + n, head = p_digest[n], signature = p_sig
        WHERE session = p_session;
    next := p_first + n;
    answer := 'ok';
END $$;

-- Answers ok, had, not_yours, conflict (another set-up under this id), and which sequence is next; of
-- a parent: not_yours (another table's), conflict (none that forked).
CREATE FUNCTION begin_session(
    p_club int, p_tbl int, p_session uuid, p_game text, p_begun bigint, p_setup bytea, p_head bytea,
    p_sig bytea, p_parent uuid DEFAULT NULL, p_forked_at int DEFAULT NULL, OUT answer text, OUT next int
) LANGUAGE plpgsql AS $$
DECLARE
    s sessions;
BEGIN
    IF p_parent IS NOT NULL THEN
        SELECT * INTO s FROM sessions WHERE session = p_parent;
        next := 0;
        answer := CASE
            WHEN NOT FOUND OR s.tbl <> p_tbl THEN 'not_yours'
            WHEN s.state <> 'forked' OR s.setup <> p_setup THEN 'conflict'
        END;
        IF answer IS NOT NULL THEN RETURN; END IF;
    END IF;
    INSERT INTO sessions (club, session, tbl, game, begun, setup, head, signature, parent, forked_at)
        VALUES (p_club, p_session, p_tbl, p_game, p_begun, p_setup, p_head, p_sig, p_parent, p_forked_at)
        ON CONFLICT DO NOTHING RETURNING sessions.next INTO next;
    IF FOUND THEN answer := 'ok'; RETURN; END IF;
    SELECT * INTO s FROM sessions WHERE session = p_session;
    next := s.next;
    answer := CASE
        WHEN s.tbl <> p_tbl THEN 'not_yours'
        WHEN (s.game, s.begun, s.setup) = (p_game, p_begun, p_setup) THEN 'had'
        ELSE 'conflict'
    END;
END $$;

-- Projections. `upto`: how many entries of the session, or how far in the feed, they hold.
CREATE TABLE table_now (
    session uuid PRIMARY KEY REFERENCES sessions,
    club int NOT NULL,
    upto int NOT NULL,
    view jsonb NOT NULL
);

-- `checked`: `checked` (every act decided anew came out as it stands), `pending` (draws by a seed
-- that was not told yet), `otherwise` (an act did not), `foreign_game` (nobody here knows the game).
CREATE TABLE results (
    session uuid NOT NULL REFERENCES sessions,
    seat text NOT NULL,
    club int NOT NULL,
    person uuid,
    place int NOT NULL,
    points numeric NOT NULL,
    checked text NOT NULL,
    PRIMARY KEY (session, seat)
);
CREATE INDEX ON results (club, person);

-- Who sits where: outside the chain, so that a name can be forgotten.
CREATE TABLE seats (
    session uuid NOT NULL REFERENCES sessions,
    seat text NOT NULL,
    person uuid REFERENCES people,
    PRIMARY KEY (session, seat)
);

CREATE TABLE ratings (
    club int NOT NULL,
    game text NOT NULL,
    person uuid NOT NULL,
    mu float8 NOT NULL,
    sigma float8 NOT NULL,
    upto bigint NOT NULL,
    PRIMARY KEY (club, game, person)
);

CREATE TABLE projected (
    name text PRIMARY KEY,
    rules text NOT NULL,
    feed bigint NOT NULL
);

-- What the organiser arranges. It stands in no log: a mistake is put right by arranging it anew.
CREATE TABLE tournaments (
    tournament int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    club int NOT NULL REFERENCES clubs,
    game text NOT NULL,
    begun timestamptz NOT NULL DEFAULT now()
);

-- Who takes part; who has gone is seated no more, and stays in the standings.
CREATE TABLE entrants (
    tournament int NOT NULL REFERENCES tournaments,
    person uuid NOT NULL REFERENCES people,
    gone boolean NOT NULL DEFAULT false,
    PRIMARY KEY (tournament, person)
);

-- Pairs that are never seated together.
CREATE TABLE apart (
    one uuid NOT NULL REFERENCES people,
    other uuid NOT NULL REFERENCES people,
    PRIMARY KEY (one, other),
    CHECK (one < other)
);

-- A table in a round (number 0: who sits out). `tbl`: the laptop there, if there is one; `session`:
-- the game that was begun on it; `feed`: when its result was entered by hand; `why`: see `seating`.
CREATE TABLE boards (
    board uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    tournament int NOT NULL REFERENCES tournaments,
    round int NOT NULL,
    number int NOT NULL,
    drawn timestamptz NOT NULL DEFAULT now(),
    tbl int REFERENCES tables,
    session uuid UNIQUE REFERENCES sessions,
    feed bigint,
    why jsonb,
    UNIQUE (tournament, round, number)
);

-- Who is to sit there, and what was entered by hand.
CREATE TABLE places (
    board uuid NOT NULL REFERENCES boards ON DELETE CASCADE,
    seat text NOT NULL,
    person uuid NOT NULL REFERENCES people,
    place int,
    points numeric,
    PRIMARY KEY (board, seat)
);

-- A game that begins at a table of the round is that round's, with its people, whoever is told of it
-- first; one that goes on after a fork takes its parent's place, unless that had ended.
CREATE FUNCTION seat_by_round() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    b uuid;
BEGIN
    IF NEW.parent IS NOT NULL THEN
        INSERT INTO seats SELECT NEW.session, seat, person FROM seats WHERE session = NEW.parent;
        UPDATE boards SET session = NEW.session WHERE session = NEW.parent
            AND NOT EXISTS (SELECT FROM results WHERE session = NEW.parent);
        RETURN NULL;
    END IF;
    SELECT board INTO b FROM boards JOIN tournaments t USING (tournament)
        WHERE tbl = NEW.tbl AND t.club = NEW.club AND t.game = NEW.game AND session IS NULL AND feed IS NULL
        ORDER BY tournament DESC, round DESC LIMIT 1;
    IF FOUND THEN
        UPDATE boards SET session = NEW.session WHERE board = b;
        INSERT INTO seats SELECT NEW.session, seat, person FROM places WHERE board = b
            ON CONFLICT (session, seat) DO UPDATE SET person = EXCLUDED.person;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER seat_by_round AFTER INSERT ON sessions FOR EACH ROW EXECUTE FUNCTION seat_by_round();

-- Every result that counts, with whom it counts for since people were merged: those of sessions, and
-- those entered by hand instead. Of the courses of one game the first that ended counts: the frozen
-- one, else one of those that went on.
CREATE VIEW played AS
    SELECT r.club, s.game, r.session AS id, r.seat, COALESCE(p.merged_into, r.person) AS person, r.place,
        r.points, b.tournament, s.begun, s.next
    FROM results r JOIN sessions s USING (session)
    LEFT JOIN people p ON p.person = r.person
    LEFT JOIN boards b ON b.session = r.session
    WHERE r.checked IN ('checked', 'pending')
        AND NOT EXISTS (SELECT FROM boards h WHERE h.session = r.session AND h.feed IS NOT NULL)
        AND (s.parent IS NULL OR NOT EXISTS (
            SELECT FROM sessions o JOIN results USING (session)
            WHERE o.session = s.parent OR (o.parent = s.parent AND o.session < s.session)
        ))
    UNION ALL
    SELECT t.club, t.game, b.board, x.seat, COALESCE(p.merged_into, x.person), x.place,
        x.points, b.tournament, (extract(epoch FROM b.drawn) * 1e6)::bigint, NULL::int
    FROM boards b JOIN tournaments t USING (tournament) JOIN places x USING (board)
    JOIN people p ON p.person = x.person
    WHERE b.feed IS NOT NULL AND b.number > 0;

-- Games of a club whose results have changed since they were rated.
CREATE TABLE unrated (
    club int NOT NULL,
    game text NOT NULL,
    PRIMARY KEY (club, game)
);
CREATE FUNCTION note_unrated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO unrated SELECT club, game FROM sessions WHERE session = COALESCE(NEW.session, OLD.session)
        ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER note_unrated AFTER INSERT OR UPDATE OR DELETE ON results
    FOR EACH ROW EXECUTE FUNCTION note_unrated();
