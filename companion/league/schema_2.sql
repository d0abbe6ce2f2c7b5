-- How many rounds the organiser wants, and how the later ones could be seated without repeating a
-- meeting (`seating`): `{"round": N, "rounds": [[[person, ...], ...], ...]}`, from round N on.
ALTER TABLE tournaments ADD rounds int NOT NULL DEFAULT 5, ADD plan jsonb;

-- What decides between equal points in games that have it, as it was entered by hand.
ALTER TABLE places ADD tie_break numeric;
