"""Pictures do not hang on the user's own settings."""

import matplotlib
import pytest

from tailc.report.drawing import render_picture


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_a_users_settings_do_not_change_the_bytes(kind):
    def draw(figure):
        figure.subplots().plot([1, 2], [3, 4])

    plain = render_picture(draw, (2.0, 1.0), kind)
    with matplotlib.rc_context({"lines.linewidth": 9.0, "font.size": 20.0}):
        assert render_picture(draw, (2.0, 1.0), kind) == plain
