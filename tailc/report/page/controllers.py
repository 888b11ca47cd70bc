"""Sections and pages of tuned controllers."""

from __future__ import annotations

from tailc.pipeline.controller import TunedController
from tailc.report.page.content import Page, Section
from tailc.report.pictures.loops import controller_figures, study_figures
from tailc.report.tune_pid import transfer_function
from tailc.studies.tune_pid import Study


def control_section(tuned: TunedController) -> Section:
    """Build the page section with the control loop of each interval of rates."""
    caption = (
        "The controller scales the ages of climbs by the measured tail, once an epoch. Each line "
        "is of an interval of arrival rates, with the plant found by replay."
    )
    return Section("control", "Control", tuple(controller_figures(tuned)), caption)


def study_page(study: Study, text: str) -> Page:
    """Build the page of a controller tuned for a plant, compared with the stable tuning rules."""
    words = Section("words", "The controller in words", text=text)
    facts = (("Plant", transfer_function(study)), ("Structure", study.wish.structure.upper()))
    sections = (Section("control", "Control", tuple(study_figures(study))), words)
    return Page("Tuned controller", "Controller", facts, sections)
