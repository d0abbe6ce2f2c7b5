-- A tournament lasts until the organiser ends it (before: until nothing had been drawn for 18 hours).
-- `tie_break`: what decides first between equal points; `timer`: when the round's time is up.
ALTER TABLE tournaments ADD ended timestamptz, ADD timer timestamptz,
    ADD tie_break text NOT NULL DEFAULT 'wins' CHECK (tie_break IN ('wins', 'opponents'));
UPDATE tournaments t SET ended = latest.at FROM (
    SELECT tournament, GREATEST(begun, (SELECT max(drawn) FROM boards b WHERE b.tournament = o.tournament)) AS at
    FROM tournaments o
) latest WHERE latest.tournament = t.tournament AND latest.at < now() - interval '18 hours';

-- How many played in a round of the best: its points decide only between these.
ALTER TABLE boards ADD finalists int;

-- Results as players have sent them from their phones: `{"s1": ["12", "3"], ...}`. They count once
-- the organiser has entered them.
CREATE TABLE reports (
    board uuid PRIMARY KEY REFERENCES boards ON DELETE CASCADE,
    scores jsonb NOT NULL,
    sent timestamptz NOT NULL DEFAULT now()
);

-- The organiser's link is good until another is asked for.
ALTER TABLE clubs ADD organiser_key text;

-- As before, but only a tournament that goes on takes games.
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
        WHERE tbl = NEW.tbl AND t.club = NEW.club AND t.game = NEW.game AND t.ended IS NULL
        AND session IS NULL AND feed IS NULL
        ORDER BY tournament DESC, round DESC LIMIT 1;
    IF FOUND THEN
        UPDATE boards SET session = NEW.session WHERE board = b;
        INSERT INTO seats SELECT NEW.session, seat, person FROM places WHERE board = b
            ON CONFLICT (session, seat) DO UPDATE SET person = EXCLUDED.person;
    END IF;
    RETURN NULL;
END $$;
