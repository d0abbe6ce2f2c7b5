"""A router for two-layer boards with parts on legs: tracks on a grid, made by negotiation
(PathFinder: McMurchie and Ebeling, FPGA 1995).

Every net is laid as if it were alone, paying for places where others lie; then those that share a
place are laid anew at a higher price, until nobody shares. Pure: pads in, tracks out, the same each
time. Lengths are millimetres, x to the right, y down.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

STEP = 0.635
"""Distance of two tracks: 0.4 mm wide with 0.235 mm between them; four steps are the 2.54 mm of the
parts' legs."""
TRACK, CLEARANCE, VIA, EDGE = 0.4, 0.2, 0.8, 0.6
ROUNDS = 120
_ACROSS, _VIA_COST = 1.6, 6.0
"""What a step against a layer's direction costs (front: left to right, back: up and down), and a
change of layers."""

Node = tuple[int, int, int]
"""Layer (0 front, 1 back), column and row of a point of the grid."""


@dataclass(frozen=True)
class Leg:
    """A hole with copper round it: the net on it ("" none), its middle, and the half width and half
    height of the copper."""

    net: str
    x: float
    y: float
    half_w: float
    half_h: float

    def distance(self, x: float, y: float) -> float:
        """Return how far a point is from the copper; 0 on it."""
        dx, dy = max(abs(x - self.x) - self.half_w, 0.0), max(abs(y - self.y) - self.half_h, 0.0)
        return float((dx * dx + dy * dy) ** 0.5)


@dataclass
class Tracks:
    """What was laid for one net: the steps of its tracks and its vias."""

    steps: list[tuple[Node, Node]] = field(default_factory=list)
    vias: set[tuple[int, int]] = field(default_factory=set)
    nodes: set[Node] = field(default_factory=set)


class NoRoute(Exception):
    """Some nets could not be laid without touching others; `args` names them."""


class Router:
    """One board of `width` x `height` with these legs; legs of one net are to be joined."""

    def __init__(self, width: float, height: float, legs: Sequence[Leg]) -> None:
        self.columns, self.rows = int(width / STEP), int(height / STEP)
        self._size = (width, height)
        self.legs = list(legs)
        self._track_owner: dict[tuple[int, int], set[str]] = {}
        self._via_owner: dict[tuple[int, int], set[str]] = {}
        self._on: dict[int, list[tuple[int, int]]] = {}
        for number, leg in enumerate(self.legs):
            self._claim(number, leg)
        self._users: dict[Node, set[str]] = {}
        self._history: dict[Node, float] = {}
        self.laid: dict[str, Tracks] = {}

    def route(self) -> dict[str, Tracks]:
        """Lay all nets; raises `NoRoute` if some still share a place after `ROUNDS`."""
        nets = sorted({leg.net for leg in self.legs if leg.net}, key=self._length)
        again = nets
        for number in range(ROUNDS):
            price = 0.5 * 1.25**number if number < 20 else 0.5 * 1.25**20
            for net in again:
                self._take_up(net)
                self._lay(net, price)
            shared = {node: users for node, users in self._users.items() if len(users) > 1}
            if not shared:
                return self.laid
            for node in shared:
                self._history[node] = self._history.get(node, 0.0) + 1.0
            fighting = set().union(*shared.values())
            again = [net for net in nets if net in fighting]
        raise NoRoute(*again)

    # ---- the grid ----

    def _claim(self, number: int, leg: Leg) -> None:
        """Note which points are too near to a leg for tracks and vias of other nets, and which lie
        on its copper."""
        reach = VIA / 2 + CLEARANCE
        self._on[number] = []
        for column in range(
            int((leg.x - leg.half_w - reach) / STEP), int((leg.x + leg.half_w + reach) / STEP) + 2
        ):
            for row in range(
                int((leg.y - leg.half_h - reach) / STEP), int((leg.y + leg.half_h + reach) / STEP) + 2
            ):
                away = leg.distance(column * STEP, row * STEP)
                owner = leg.net or f"leg {number}"
                if away < TRACK / 2 + CLEARANCE - 1e-6:
                    self._track_owner.setdefault((column, row), set()).add(owner)
                if away < reach - 1e-6:
                    self._via_owner.setdefault((column, row), set()).add(owner)
                if away == 0.0:
                    self._on[number].append((column, row))

    def _inside(self, column: int, row: int) -> bool:
        x, y = column * STEP, row * STEP
        return EDGE <= x <= self._size[0] - EDGE and EDGE <= y <= self._size[1] - EDGE

    def _length(self, net: str) -> float:
        xs = [leg.x for leg in self.legs if leg.net == net]
        ys = [leg.y for leg in self.legs if leg.net == net]
        return max(xs) - min(xs) + max(ys) - min(ys)

    # ---- one net ----

    def _take_up(self, net: str) -> None:
        laid = self.laid.pop(net, None)
        for node in self._footprint(laid) if laid else ():
            self._users[node].discard(net)
            if not self._users[node]:
                del self._users[node]

    @staticmethod
    def _footprint(laid: Tracks) -> Iterator[Node]:
        """Give every point that others must leave free: those on the tracks, and the neighbours of
        vias on both layers."""
        seen = set(laid.nodes)
        for column, row in laid.vias:
            seen |= {(layer, column + dx, row + dy) for layer in (0, 1) for dx, dy in _NEAR}
        yield from seen

    def _lay(self, net: str, price: float) -> None:
        laid = Tracks()
        waiting = [number for number, leg in enumerate(self.legs) if leg.net == net]
        first = min(waiting, key=lambda number: (self.legs[number].x, self.legs[number].y))
        waiting.remove(first)
        tree = self._nodes_on(first)
        while waiting:
            ends = {node: number for number in waiting for node in self._nodes_on(number)}
            path = self._path(net, tree, ends, price)
            reached = ends[path[-1]]
            waiting.remove(reached)
            tree |= set(path) | self._nodes_on(reached)
            laid.nodes |= set(path)
            for a, b in itertools.pairwise(path):
                if a[0] == b[0]:
                    laid.steps.append((a, b))
                else:
                    laid.vias.add((a[1], a[2]))
        self.laid[net] = laid
        for node in self._footprint(laid):
            self._users.setdefault(node, set()).add(net)

    def _nodes_on(self, leg: int) -> set[Node]:
        return {(layer, column, row) for layer in (0, 1) for column, row in self._on[leg]}

    def _path(self, net: str, tree: set[Node], ends: dict[Node, int], price: float) -> list[Node]:
        """Return the cheapest way from the tree to any end (A*: never further than the box round
        all ends)."""
        low_x, high_x = min(n[1] for n in ends), max(n[1] for n in ends)
        low_y, high_y = min(n[2] for n in ends), max(n[2] for n in ends)

        def left(node: Node) -> float:
            _, x, y = node
            return max(low_x - x, 0, x - high_x) + max(low_y - y, 0, y - high_y)

        best = dict.fromkeys(tree, 0.0)
        came: dict[Node, Node] = {}
        queue = [(left(node), 0.0, node) for node in sorted(tree)]
        heapq.heapify(queue)
        while queue:
            _, so_far, node = heapq.heappop(queue)
            if so_far > best[node]:
                continue
            if node in ends:
                path = [node]
                while path[-1] in came:
                    path.append(came[path[-1]])
                return path[::-1]
            for other, cost in self._moves(net, node, price):
                total = so_far + cost
                if total < best.get(other, 1e18):
                    best[other] = total
                    came[other] = node
                    heapq.heappush(queue, (total + left(other), total, other))
        raise NoRoute(net)

    def _moves(self, net: str, node: Node, price: float) -> Iterator[tuple[Node, float]]:
        layer, column, row = node
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            place = (column + dx, row + dy)
            if not self._inside(*place) or self._track_owner.get(place, _NOBODY) - {net}:
                continue
            other = (layer, *place)
            along = 1.0 if (dx == 0) == (layer == 1) else _ACROSS
            yield other, along * self._toll(net, other, price)
        if not self._via_owner.get((column, row), _NOBODY) - {net}:
            toll = sum(
                self._toll(net, (one, column + dx, row + dy), price) - 1.0
                for one in (0, 1)
                for dx, dy in _NEAR
            )
            yield (1 - layer, column, row), _VIA_COST + toll

    def _toll(self, net: str, node: Node, price: float) -> float:
        users = self._users.get(node)
        others = 0 if users is None else len(users) - (net in users)
        return (1.0 + self._history.get(node, 0.0)) * (1.0 + price * others)


_NOBODY: frozenset[str] = frozenset()
_NEAR = ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))


def straight(laid: Tracks) -> list[tuple[Node, Node]]:
    """Join single steps to straight lines."""
    left = {frozenset(step) for step in laid.steps}
    lines = []
    for step in sorted(laid.steps):
        if frozenset(step) not in left:
            continue
        a, b = sorted(step)
        dx, dy = b[1] - a[1], b[2] - a[2]
        left.discard(frozenset((a, b)))
        for sign in (1, -1):
            while True:
                end = b if sign == 1 else a
                further = (end[0], end[1] + sign * dx, end[2] + sign * dy)
                if frozenset((end, further)) not in left:
                    break
                left.discard(frozenset((end, further)))
                a, b = (a, further) if sign == 1 else (further, b)
        lines.append((a, b))
    return lines


@dataclass
class Line:
    """A straight piece of track on a layer, or a via (`layer` None: on both), with the millimetres
    of its ends and its width."""

    net: str
    layer: int | None
    a: tuple[float, float]
    b: tuple[float, float]
    width: float

    def gap(self, other: Line) -> float:
        """Return how far the middles of two straight pieces are from each other."""
        apart = [
            max(
                min(other.a[i], other.b[i]) - max(self.a[i], self.b[i]),
                min(self.a[i], self.b[i]) - max(other.a[i], other.b[i]),
                0.0,
            )
            for i in (0, 1)
        ]
        return float((apart[0] ** 2 + apart[1] ** 2) ** 0.5)


def lines(laid: dict[str, Tracks]) -> list[Line]:
    """Return all that was laid, as straight pieces and vias."""
    found = []
    for net, tracks in laid.items():
        for a, b in straight(tracks):
            found.append(Line(net, a[0], (a[1] * STEP, a[2] * STEP), (b[1] * STEP, b[2] * STEP), TRACK))
        for column, row in sorted(tracks.vias):
            place = (column * STEP, row * STEP)
            found.append(Line(net, None, place, place, VIA))
    return found


def widen(
    drawn: Sequence[Line], legs: Sequence[Leg], wanted: dict[str, Sequence[float]], size: tuple[float, float]
) -> None:
    """Give the tracks of some nets the first of their `wanted` widths that leaves their neighbours,
    and the edge, enough room."""
    for line in (line for line in drawn if line.net in wanted and line.layer is not None):
        room = min(
            (
                line.gap(other) - other.width / 2
                for other in drawn
                if other.net != line.net and (other.layer in (None, line.layer))
            ),
            default=99.0,
        )
        for leg in legs:
            if leg.net != line.net:
                low, high = (leg.x - leg.half_w, leg.y - leg.half_h), (leg.x + leg.half_w, leg.y + leg.half_h)
                room = min(room, line.gap(Line("", 0, low, high, 0.0)))
        xs, ys = (line.a[0], line.b[0]), (line.a[1], line.b[1])
        edge = min(*xs, *ys, size[0] - max(xs), size[1] - max(ys))
        half = min(room - 1.25 * CLEARANCE, edge - 0.5)
        line.width = next((width for width in wanted[line.net] if width / 2 <= half), line.width)
