"""Calibration, temperature, selective prediction and conformal sets."""
