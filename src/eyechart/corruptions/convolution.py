"""Convolution, and the kernels of defocus, smoothing and motion blur."""

import numpy as np
import numpy.typing as npt

Planes = npt.NDArray[np.float32]  # [channels, h, w]
Kernel = npt.NDArray[np.float32]  # [odd, odd], sums to 1 unless stated otherwise


def convolve(planes: Planes, kernel: Kernel) -> Planes:
    """Every plane convolved with the kernel by FFT; the picture is mirrored at its edges, edge pixel included."""
    from scipy import fft  # takes a while to load, and few commands corrupt pictures

    if kernel.size == 1:
        return np.asarray(planes * kernel[0, 0])
    height, width = planes.shape[1:]
    tall, wide = kernel.shape[0] - 1, kernel.shape[1] - 1
    mirrored = np.pad(planes, ((0, 0), (tall // 2, tall // 2), (wide // 2, wide // 2)), mode="symmetric")
    # Wrap-around only affects the first `tall` rows and `wide` columns, which are removed.
    size = fft.next_fast_len(height + tall, real=True), fft.next_fast_len(width + wide, real=True)
    spectrum = fft.rfft2(mirrored, size) * fft.rfft2(kernel, size)
    convolved: Planes = fft.irfft2(spectrum, size)[:, tall : tall + height, wide : wide + width]
    return convolved


def disc(radius: float) -> Kernel:
    """A disc: the image of a point out of focus. Pixels at its edge are partly covered."""
    reach = int(np.ceil(radius + 0.5)) - 1
    across = np.arange(-reach, reach + 1)
    return _normalized(np.clip(radius + 0.5 - np.hypot(across[:, None], across), 0, 1))


def gaussian(sigma: float) -> Kernel:
    """A Gaussian, truncated at four standard deviations."""
    reach = int(4 * sigma + 0.5)
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) / max(sigma, 1e-6)) ** 2)
    return _normalized(np.outer(bell, bell))


def streak(length: float, angle: float) -> Kernel:
    """A line: the trace of a point that moves by `length` pixels at an angle (radians, clockwise from the x axis)."""
    points = int(np.ceil(4 * length)) + 1
    along = ((np.arange(points) + 0.5) / points - 0.5) * length
    x, y = along * np.cos(angle), along * np.sin(angle)
    wide, tall = (int(np.ceil(np.abs(place).max())) for place in (x, y))
    kernel = np.zeros((2 * tall + 1, 2 * wide + 1))
    for row in (np.floor(y), np.floor(y) + 1):
        for column in (np.floor(x), np.floor(x) + 1):
            share = (1 - np.abs(y - row)) * (1 - np.abs(x - column))
            there = share > 0
            np.add.at(kernel, ((row[there] + tall).astype(int), (column[there] + wide).astype(int)), share[there])
    return _normalized(kernel)


def weighted_sum(kernels: list[Kernel], weights: list[float]) -> Kernel:
    """Σ weight · kernel, centered on one another."""
    tall, wide = (max(kernel.shape[axis] for kernel in kernels) for axis in (0, 1))
    total = np.zeros((tall, wide), np.float32)
    for kernel, weight in zip(kernels, weights, strict=True):
        top, left = (tall - kernel.shape[0]) // 2, (wide - kernel.shape[1]) // 2
        total[top : top + kernel.shape[0], left : left + kernel.shape[1]] += weight * kernel
    return total


def _normalized(kernel: npt.NDArray[np.float64]) -> Kernel:
    return np.asarray(kernel / kernel.sum(), dtype=np.float32)
