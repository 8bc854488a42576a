"""The CPU platforms that every test is meant to run on: where one is missing, a skip says which.

The tests with a `device` run on whatever is there. A platform that is not leaves no trace in them, so that
here is a test for each: one that is missing is skipped by name, one that is there must work.
"""

from __future__ import annotations

import pytest

from pointerjump.accel.runtime.devices import devices

PLATFORMS = {
    "Intel(R) OpenCL": "pip install 'pointerjump[cpu]'",
    "Portable Computing Language": "apt install pocl-opencl-icd",
    "rusticl": "apt install mesa-opencl-icd, of Mesa 25 or later, and RUSTICL_ENABLE=llvmpipe set",
}


@pytest.mark.parametrize("platform", PLATFORMS)
def test_platform_is_there_and_works(platform: str) -> None:
    found = [device for device in devices() if device.platform.startswith(platform)]
    if not found:
        pytest.skip(f"not tested on {platform}, which no driver lists: {PLATFORMS[platform]}")
    for device in found:
        if "ends loops" in (device.why_not or ""):  # rusticl of Debian 12
            pytest.skip(f"not tested on {device}: {device.why_not}")
        assert device.works, f"{device}: {device.why_not}"
