import subprocess
import sys

import numpy as np
import pytest
import scipy.special

from eyechart.metrics import special

INPUTS = {
    "ndtri": (np.array([0.001, 0.3, 0.975]),),
    "ndtr": (np.array([-3.0, 0.2, 4.0]),),
    "stdtrit": (np.array([1, 7]), 0.975),
    "bdtr": (3, 9, 0.4),
    "chdtrc": (1, np.array([0.1, 5.0])),
    "betaincinv": (2.5, 7.5, 0.025),
    "gammaln": (np.array([0.5, 12.0]),),
    "expit": (np.array([-40.0, 0.3]),),
    "logit": (np.array([0.1, 0.9]),),
    "softmax": (np.array([[1.0, 2.0], [3.0, 3.0]]), 1),
    "logsumexp": (np.array([[1.0, 2.0], [3.0, 3.0]]), 1),
}


@pytest.mark.parametrize("name", INPUTS)
def test_it_is_the_function_of_scipy(name):
    assert np.array_equal(getattr(special, name)(*INPUTS[name]), getattr(scipy.special, name)(*INPUTS[name]))


@pytest.mark.parametrize("p", [1e-12, 0.025, 0.5, 0.8, 0.975, 1 - 1e-9])
def test_the_quantile_of_a_number_is_that_of_scipy(p):
    assert special.ndtri(p) == pytest.approx(float(scipy.special.ndtri(p)), rel=1e-13, abs=1e-15)


def test_quantiles_at_the_ends_are_infinite():
    assert (special.ndtri(0.0), special.ndtri(1.0)) == (-np.inf, np.inf)


def test_an_examination_loads_no_scipy_before_it_computes():
    imports = "import sys, eyechart.exam, eyechart.report.page; from eyechart.probes.registry import usable_probes"
    code = f"{imports}; usable_probes(); print('scipy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
