"""Runs on images: runs of pixels, and the trees that they are joined in."""

from __future__ import annotations

from typing import Any

from pointerjump.drawing.frames import Frame
from pointerjump.drawing.recording import Arrays, Every, Recorder, by_phase, parents_array
from pointerjump.images import Image
from pointerjump.registry import Algorithm


def labelling_frames(
    algorithm: Algorithm, image: Image, every: Every, choices: dict[str, Any]
) -> tuple[list[Frame], list[range]]:
    """Run an algorithm for labels; return the parents of runs as they change, and the runs."""
    runs: list[range] = []
    array = parents_array(algorithm, choices)

    def view(phase: str, arrays: Arrays) -> Frame | None:
        if phase == "find_runs":
            if every == "write":
                return None  # not all runs are known yet
            runs[:] = [run for in_row in arrays["runs"] for run in in_row]
            return Frame("", range(len(runs)))
        runs[:] = [run for in_row in arrays["runs"] for run in in_row]
        labels = [str(arrays["label"][run[0]]) for run in runs] if phase == "write_labels" else []
        return Frame("", arrays[array], labels)

    recorder = Recorder(algorithm, view, by_phase(every))
    recorder.run(image, **choices)
    return recorder.frames, runs
