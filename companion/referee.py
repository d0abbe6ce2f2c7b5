"""The referee without a screen (`companion referee`): one JSON object a line in, one a line out;
the counterpart of UCI for chess engines.

`Referee.answer_line` maps one line to its reply and does no I/O of its own; `serve_lines` connects
it to two streams. No input line can end the conversation: errors are replies too.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, NotRequired, TypedDict, TypeVar, Union

import msgspec

from companion.rules import registry
from companion.rules.acts import Act, EntryNotSaved, discard_entry
from companion.rules.commitments import HiddenSeed, Note
from companion.rules.contract import Domain, Event, Game, Named, Option, Refusal, Request, Setup, Text, refuse
from companion.rules.options import format_option_assignment
from companion.rules.positions import format_position, restore_position
from companion.rules.session import Session
from companion.rules.start import Start, prepare_game
from companion.texts import Translator

if TYPE_CHECKING:
    from companion.journal.store import Store


class Undo(Request, frozen=True):
    """Take back the last accepted request."""


class Redo(Request, frozen=True):
    """Take back the last undo."""


class Correct(Request, frozen=True):
    """Replace act number `at` of those that stand (0: the first) by `request`, or remove it (null).
    The later ones are done again; if one no longer fits, the whole correction is refused. One
    `undo` takes it back.
    """

    at: int
    request: msgspec.Raw


class Look(Request, frozen=True, tag="view"):
    """Ask for the view, the options, and the position, from which `start` can begin."""


class Explain(Request, frozen=True):
    """Ask for the reasons of a player's points."""

    player: str


class ListLegal(Request, frozen=True, tag="legal"):
    """Ask what a player may request now: complete requests, and requests with free fields, each
    with its domain. `cards`: what the player holds (not stored); only plays of these cards are
    listed.
    """

    player: str
    cards: tuple[Named, ...] | None = None


class Games(Request, frozen=True):
    """Ask which games are installed, with their players, options, cards and requests. Works without
    a session too.
    """


class SessionStarted(Event, frozen=True):
    """A session began. If the program chose the seed, it is disclosed at the end (`seed_told`), and
    this event holds the commitment to it.
    """

    game: str
    players: tuple[str, ...]
    options: dict[str, Any]
    seed: int | str | None
    commitment: str | msgspec.UnsetType = msgspec.UNSET

    @classmethod
    def from_setup(cls, setup: Setup) -> SessionStarted:
        """Describe how a session with this set-up began."""
        facts = (setup.game, setup.players, dict(setup.options))
        seed = setup.seed
        return cls(*facts, None, seed.commitment) if isinstance(seed, HiddenSeed) else cls(*facts, seed)


class RequestUndone(Event, frozen=True):
    """The last accepted request was undone (null: a correction that had emptied the log)."""

    request: Request | None


class RequestRedone(Event, frozen=True):
    """The last undo was taken back (null: a correction that had emptied the log)."""

    request: Request | None


class RequestCorrected(Event, frozen=True):
    """Act number `at` was corrected: `request` replaces it (null: it was removed)."""

    at: int
    request: Request | None


PROTOCOL = 1
"""The version of requests, replies, events and views. It grows when a field is removed or changes
its meaning; fields may be added without."""


class ErrorReply(TypedDict):
    """Why a request was refused; programs read the code."""

    code: str
    message: str
    clause: str | None


class RefusedReply(TypedDict):
    """The reply to a request that was refused; it has changed nothing."""

    ok: Literal[False]
    error: ErrorReply


class OpenRow(TypedDict):
    """A request with free fields, each with its domain; the other fields are complete."""

    request: dict[str, Any]
    free: dict[str, Domain]


class ExplanationRow(TypedDict):
    """One reason for a player's points; the points of all reasons add up to the player's."""

    text: str
    clauses: list[str]
    points: int | str


class OptionListing(TypedDict):
    """An option of a game. `type`: the JSON Schema of its values; `values`: all of them, the
    default first, or none where they cannot be listed."""

    name: str
    type: dict[str, Any]
    values: list[Any]
    default: Any
    clause: str


class CardListing(TypedDict):
    """A card by its name in requests. `copies`: how many are in play; null where that differs from
    box to box. `attributes`: what the rules read from it, where its name does not tell."""

    name: int | str
    copies: int | None
    attributes: NotRequired[dict[str, Any]]


class GameListing(TypedDict):
    """An installed game. `cards`: as usually played; of the game that is being played, those in
    play by its options. `requests`: those of its own."""

    id: str
    title: str
    seats: list[int]
    options: list[OptionListing]
    cards: list[CardListing]
    requests: list[str]


class AcceptedReply(TypedDict):
    """The reply to a request that was accepted. `view`: null without a session.

    `legal` and `open` answer `legal`, `explanation` answers `explain`, `games` and `protocol`
    answer `games`, `options` and `position` answer `view`.
    """

    ok: Literal[True]
    events: list[Any]
    view: Any
    legal: NotRequired[list[Any]]
    open: NotRequired[list[OpenRow]]
    explanation: NotRequired[list[ExplanationRow]]
    games: NotRequired[list[GameListing]]
    protocol: NotRequired[int]
    options: NotRequired[dict[str, Any]]
    position: NotRequired[dict[str, Any]]


@cache
def _list_field_defaults(kind: type[Request]) -> tuple[tuple[str, str, Any], ...]:
    fields = msgspec.structs.fields(kind)
    return tuple((field.name, field.encode_name, field.default) for field in fields)


def _build_request_row(request: Request, omitted_fields: Collection[str] = ()) -> dict[str, Any]:
    """Return a request as a program would write it: without default values and without the fields
    in `omitted_fields`.
    """
    kind = type(request)
    asked = {"do": kind.__struct_config__.tag}
    for name, written, default in _list_field_defaults(kind):
        if name not in omitted_fields and (value := getattr(request, name)) != default:
            asked[written] = value
    return asked


def _build_option_row(option: Option) -> OptionListing:
    """Describe an option: `type` is the JSON Schema of its values; `values` lists them where they
    can be listed, the default first.
    """
    schema = msgspec.json.schema(option.kind)
    listed = [True, False] if option.kind is bool else schema.get("enum", [])
    return {
        "name": option.name,
        "type": schema,
        "values": sorted(listed, key=lambda value: value != option.default),
        "default": option.default,
        "clause": option.clause,
    }


def _build_card_row(game: Game[Any], card: Named, copies: int | None) -> CardListing:
    row: CardListing = {"name": card, "copies": copies}
    if attributes := game.describe_card_attributes(card):
        row["attributes"] = dict(attributes)
    return row


COMMON = (Start, Undo, Redo, Correct, Look, ListLegal, Games, Explain)
"""The requests that every game accepts."""
LONGEST_LINE = 65_536
"""The most bytes of a request. The longest one that a game needs, a hand of cards, is under 1 kB.
"""
_encode = msgspec.json.Encoder().encode


@cache
def _build_decoder(game: Game[Any] | None) -> msgspec.json.Decoder[Request]:
    own = () if game is None else (*game.requests, *game.questions)
    return msgspec.json.Decoder(Union[(*COMMON, *own)])


@cache
def _build_moves_decoder(game: Game[Any]) -> msgspec.json.Decoder[Request]:
    return msgspec.json.Decoder(Union[(*game.requests,)])


_sent = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


@cache
def _list_field_names(kind: type[Request]) -> frozenset[str]:
    return frozenset(("do", *kind.__struct_encode_fields__))


def _refuse_unknown_field(field: str, kind: type[Request]) -> Refusal:
    """Refuse a field that this kind of request does not have.

    Otherwise a misspelt field would be taken for one that was left out. (Journals are read with the
    same types, and an old one may hold more fields, so the types themselves do not forbid them.)
    """
    do = kind.__struct_config__.tag
    # With cutoff 0 there is always one.
    (nearest,) = get_close_matches(field, sorted(_list_field_names(kind)), 1, 0)
    return refuse("bad_request", message="unknown_field", do=do, field=ascii(field)[1:-1], nearest=nearest)


def _decode_request(line: bytes, decode: Callable[[bytes], Request]) -> Request | Refusal:
    """Parse one request with `decode`; refuse invalid ones and unknown fields."""
    try:
        line.decode()  # all of it, also where the decoder has no need to look
        request = decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        return refuse("bad_request", reason=str(fault))
    strange = _sent(line).keys() - _list_field_names(type(request))
    return _refuse_unknown_field(min(strange), type(request)) if strange else request


_S = TypeVar("_S", bound="Request | Event")
_BARE: tuple[tuple[str, Any], ...] = (("sealed", None), ("opened", msgspec.UNSET))


def _strip_seals(fact: _S) -> _S:
    """Return `fact` without seals and without what opens them: these are for the journal and for
    those who verify it.
    """
    closed = {name: bare for name, bare in _BARE if getattr(fact, name, bare) is not bare}
    return msgspec.structs.replace(fact, **closed) if closed else fact


class _ProgramTranslator(Translator):
    """A translator that writes options as programs do, in `start`; players read the words of the
    set-up form.
    """

    def translate(self, text: Text) -> str:
        return super().translate(format_option_assignment(text))


class Referee:
    """A conversation with one session at a time.

    `log` receives each accepted entry before the reply is returned; if it cannot be stored, the
    request is not accepted.
    """

    def __init__(
        self, language: str = "en", log: Store | None = None, session: Session | None = None
    ) -> None:
        self.language = language
        self.log = log
        self.session = session
        self._translator = _ProgramTranslator(language, session.game if session else None)
        # The requests of every game; all others are the game's own.
        self._acts: dict[type[Request], Callable[[Any], bytes]] = {
            Start: self._handle_start,
            Undo: self._handle_undo,
            Redo: self._handle_redo,
            Correct: self._handle_correct,
            Look: self._handle_look,
            ListLegal: self._handle_list_legal,
            Games: self._handle_games,
            Explain: self._handle_explain,
        }

    def answer_line(self, line: bytes) -> bytes:
        """Return the reply to one line (without the line ending). Never raises for any contents of
        the line.
        """
        if len(line) > LONGEST_LINE:
            return self._format_refused(refuse("bad_request", message="line_too_long", most=LONGEST_LINE))
        request = _decode_request(line, self._decode_line)
        if isinstance(request, Refusal):
            return self._format_refused(request)
        # After the line was read: a malformed request is refused as such, with a session or
        # without.
        if self.session is None and not isinstance(request, Start | Games):
            return self._format_refused(refuse("no_session"))
        try:
            return self._dispatch_request(request)
        except EntryNotSaved as fault:
            # Not on disk, so not accepted: a bot relies on what was answered with ok.
            return self._format_refused(
                Refusal("in_doubt" if fault.is_in_doubt else "not_kept", None, fault.text)
            )

    def _dispatch_request(self, request: Request) -> bytes:
        # By exact type: no request of a game is a subclass of these.
        act = self._acts.get(type(request))
        if act is not None:
            return act(request)
        assert self.session is not None
        if isinstance(request, self.session.game.questions):
            found = self.session.answer_question(request)
            return (
                self._format_refused(found)
                if isinstance(found, Refusal)
                else self._format_accepted((), **found)
            )
        done = self.session.act(request)
        if isinstance(done, Refusal):
            return self._format_refused(done)
        # A program is not shown seals; the notes (commitments) follow the events that they belong
        # to.
        told = [_strip_seals(event) if event.hides_cards else event for event in done]
        return self._format_accepted((*told, *self.session.notes))

    def _decode_line(self, line: bytes) -> Request:
        if self.session is not None:
            return _build_decoder(self.session.game).decode(line)
        try:
            return _build_decoder(None).decode(line)
        except msgspec.ValidationError:
            # Without a session a request of any installed game is well-formed; it is refused with
            # `no_session`.
            for game_id in registry.list_game_ids():
                try:
                    return _build_decoder(registry.load_game(game_id)).decode(line)
                except (msgspec.ValidationError, registry.GameUnavailable):
                    continue
            raise

    def _handle_start(self, request: Start) -> bytes:
        begun = prepare_game(request)
        if isinstance(begun, Refusal):
            # In the words of the game that was asked for, which may not be the one being played.
            return self._format_refused(begun, _ProgramTranslator.for_game(self.language, request.game))
        game, setup = begun
        first_state = None
        if request.position is not None:
            first_state = self._restore_position(game, setup, request.position)
            if isinstance(first_state, Refusal):
                return self._format_refused(first_state, _ProgramTranslator(self.language, game))
        if self.log is not None:
            # Before the session exists: if the journal cannot be begun, the old session goes on.
            self.log.start_session(setup)
        # A program reads events and not sentences: not making them is a third quicker.
        self.session = Session(
            game,
            setup,
            self.log.append if self.log else discard_entry,
            with_descriptions=False,
            first_state=first_state,
        )
        self._translator = _ProgramTranslator(self.language, game)
        return self._format_accepted((SessionStarted.from_setup(setup),))

    def _restore_position(self, game: Game[Any], setup: Setup, position: Mapping[str, Any]) -> Any | Refusal:
        """Return the state of a position. A journal has none: it replays a session from its first
        deal."""
        if self.log is not None:
            return refuse("bad_position", message="position_with_journal")
        return restore_position(game, setup, position)

    def _handle_undo(self, _request: Undo) -> bytes:
        assert self.session is not None
        return self._format_step_reply(RequestUndone, self.session.undo())

    def _handle_redo(self, _request: Redo) -> bytes:
        assert self.session is not None
        return self._format_step_reply(RequestRedone, self.session.redo())

    def _handle_correct(self, asked: Correct) -> bytes:
        assert self.session is not None
        line = bytes(asked.request)
        # Only the moves of the game can stand in its log: no `undo`, no question.
        request = (
            None if line == b"null" else _decode_request(line, _build_moves_decoder(self.session.game).decode)
        )
        if isinstance(request, Refusal):
            return self._format_refused(request)
        refusal = self.session.correct_act(asked.at, request)
        if refusal is not None:
            return self._format_refused(refusal)
        corrected = RequestCorrected(asked.at, _strip_seals(request) if request else None)
        return self._format_accepted((corrected, *self.session.notes))

    def _format_step_reply(
        self, event: type[RequestUndone | RequestRedone], done: Act | Refusal | None
    ) -> bytes:
        if isinstance(done, Refusal):
            return self._format_refused(done)
        assert self.session is not None
        return self._format_accepted(
            (event(_strip_seals(done.request) if done else None), *self.session.notes)
        )

    def _handle_explain(self, request: Explain) -> bytes:
        assert self.session is not None
        reasons = self.session.explain_points(request.player)
        if isinstance(reasons, Refusal):
            return self._format_refused(reasons)
        rows = [
            {
                "text": self._translator.translate(reason.text),
                "clauses": reason.clauses,
                "points": reason.points,
            }
            for reason in reasons
        ]
        return self._format_accepted((), explanation=rows)

    def _handle_look(self, _request: Look) -> bytes:
        # With the options, so that a late joiner can tell what is legal.
        session = self.session
        assert session is not None
        position = format_position(session.game, session.state)
        return self._format_accepted((), options=dict(session.setup.options), position=position)

    def _handle_list_legal(self, request: ListLegal) -> bytes:
        assert self.session is not None
        found = self.session.list_legal(request.player, request.cards)
        if isinstance(found, Refusal):
            return self._format_refused(found)
        free = [
            {"request": _build_request_row(one.request, one.free), "free": one.free} for one in found.open
        ]
        return self._format_accepted((), legal=list(map(_build_request_row, found.legal)), open=free)

    def _handle_games(self, _request: Games) -> bytes:
        games = [
            about
            for game_id in registry.list_game_ids()
            if (about := self._build_game_row(game_id)) is not None
        ]
        if self.session is None:
            # Without a session there is no view; all other answers have one.
            return _encode({"ok": True, "events": (), "protocol": PROTOCOL, "games": games, "view": None})
        return self._format_accepted((), protocol=PROTOCOL, games=games)

    def _build_game_row(self, game_id: str) -> GameListing | None:
        """Describe one game, the one that is being played with the cards in play; None if its
        package cannot be loaded, so that the others are still listed.
        """
        try:
            game = registry.load_game(game_id)
        except registry.GameUnavailable:
            return None
        session = self.session
        played = None if session is None or session.game is not game else session.setup
        cards = game.cards if played is None else game.list_cards_in_play(played)
        return {
            "id": game.id,
            "title": _ProgramTranslator(self.language, game)("game.title"),
            "seats": list(game.seats),
            "options": list(map(_build_option_row, game.options)),
            "cards": [_build_card_row(game, card, copies) for card, copies in cards.items()],
            "requests": [str(kind.__struct_config__.tag) for kind in (*game.requests, *game.questions)],
        }

    def _format_accepted(self, events: Sequence[Event | Note], **more: Any) -> bytes:
        assert self.session is not None
        view = self.session.view()
        if not more:
            return _encode({"ok": True, "events": events, "view": view})
        return _encode({"ok": True, "events": events, **more, "view": view})

    def _format_refused(self, refusal: Refusal, translator: Translator | None = None) -> bytes:
        message = (translator or self._translator).translate(refusal.text)
        return _encode(
            {"ok": False, "error": {"code": refusal.code, "message": message, "clause": refusal.clause}}
        )


def serve_lines(referee: Referee, source: BinaryIO, target: BinaryIO) -> None:
    """Reply to every line of `source` on `target`, flushing each time, until `source` ends or
    `target` is closed.
    """
    try:
        for line in _read_lines(source):
            target.write(referee.answer_line(line.strip()) + b"\n")
            target.flush()
    except BrokenPipeError:
        return


def _read_lines(source: BinaryIO) -> Iterator[bytes]:
    """Read line by line. Of a line that is too long only the beginning is kept, which is still too
    long and is refused.

    A byte order mark before the first line is skipped.
    """
    mark = BOM_UTF8
    while line := source.readline(LONGEST_LINE + 1):
        line, mark = line.removeprefix(mark), b""
        rest = line
        # The rest of the line is read and dropped, so that the next line is answered again.
        while len(rest) > LONGEST_LINE and not rest.endswith(b"\n"):
            rest = source.readline(LONGEST_LINE + 1)
        yield line
