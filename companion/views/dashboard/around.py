"""What stands around the table that the dashboard shows: readers' pictures, the voice, other
screens, the demo's hands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from companion.plan import Plan
from companion.rules.contract import Text
from companion.views.evening import BARE, Backstage

if TYPE_CHECKING:
    from companion.readers.rfid.simulator import VirtualBoard
    from companion.views.dashboard.widgets.preview import LabelsOf, PreviewOf
    from companion.views.invitation import ShareSwitch
    from companion.views.spoken import Speaker


class Around(NamedTuple):
    """Everything that an evening may have besides the game, and may lack.

    `backstage`: what runs behind the table, with its keys. `picture_of`: the camera's newest
    annotated picture; `labels_of`: the names of its cards. `speaker`: hears every change. `board`:
    the virtual card reader. `sharing`: how other screens may join. `plan`: what people
    chose; that simulated players play, and that pictures of the reveals are kept, every screen
    says. `told`: what is said at the
    start (there is no voice). `keep_page`: writes the page of the evening in the language given,
    and says where it is.
    """

    backstage: Backstage = BARE
    picture_of: PreviewOf | None = None
    labels_of: LabelsOf = tuple
    speaker: Speaker | None = None
    board: VirtualBoard | None = None
    sharing: ShareSwitch | None = None
    plan: Plan = Plan()
    told: Sequence[Text] = ()
    keep_page: Callable[[str], Text] | None = None
