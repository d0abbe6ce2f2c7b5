-- The second layout: a session that goes on as another after a fork, and what was told of seats last.

-- `parent`: the frozen session that this one was until entry `forked_at`. `seats_told`: the number of
-- what was last told of who sits there; what has none greater was sent by somebody who heard it.
ALTER TABLE sessions
    ADD COLUMN parent uuid REFERENCES sessions,
    ADD COLUMN forked_at int,
    ADD COLUMN seats_told bigint NOT NULL DEFAULT 0;
CREATE INDEX ON sessions (parent) WHERE parent IS NOT NULL;

-- Answers as before; of a parent: not_yours (another table's), conflict (none that forked).
DROP FUNCTION begin_session;
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

-- A game that begins at a table of the round is that round's, with its people, whoever is told of it
-- first; one that goes on after a fork takes its parent's place, unless that had ended.
CREATE OR REPLACE FUNCTION seat_by_round() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- As before; of the courses of one game the first that ended counts: the frozen one, else one of those
-- that went on.
CREATE OR REPLACE VIEW played AS
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
