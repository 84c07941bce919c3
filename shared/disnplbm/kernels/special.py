r"""Logarithm, exponential and log-gamma that vectorise and do not depend on the machine's mathematics library.

The logarithm splits x = 2^e m with m in [sqrt(1/2), sqrt(2)) by bit operations and sums the series
log m = 2 s (1 + z f(z)), s = (m - 1)/(m + 1), z = s^2, with a minimax polynomial for f (error below 5e-18).
Log-gamma is Stirling's series at x + 8, brought back by Gamma(x + 8) = x (x + 1) ... (x + 7) Gamma(x).
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from disnplbm.kernels.compiler import inlined

LOG_2 = 0.6931471805599453
LOG_PI = 1.1447298858494002
_HALF_LOG_2_PI = 0.9189385332046727


@intrinsic
def float_bits(typing_context: Any, value: Any) -> Any:  # noqa: ARG001 - Numba's protocol
    """The 64 bits of a double as an unsigned integer."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.uint64(types.float64), generate


@intrinsic
def bits_float(typing_context: Any, value: Any) -> Any:  # noqa: ARG001 - Numba's protocol
    """The double that has the given 64 bits."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.uint64), generate


@inlined
def log(x: float) -> float:
    """Natural logarithm of a positive normal double, within 2 units in the last place."""
    shifted = float_bits(x) + 0x00095F6198000000  # 1 - sqrt(1/2) in the exponent's and mantissa's bits
    # An unsigned integer below 2^52 becomes a double by two bit operations; the direct conversion does not vectorise.
    exponent = bits_float((shifted >> 52) | 0x4330000000000000) - 4503599627371519.0
    mantissa = bits_float((shifted & 0x000FFFFFFFFFFFFF) + 0x3FE6A09E68000000)
    s = (mantissa - 1.0) / (mantissa + 1.0)
    z = s * s
    f = 0.07308224842521703
    f = f * z + 0.07665860800278021
    f = f * z + 0.09091444562630861
    f = f * z + 0.1111110556739754
    f = f * z + 0.14285714312987743
    f = f * z + 0.19999999999949752
    f = f * z + 0.3333333333333335
    twice = s + s
    return exponent * LOG_2 + (twice + twice * (z * f))


@inlined
def exp(x: float) -> float:
    """Exponential of a number in [-700, 700], within 2 units in the last place."""
    k = bits_float(float_bits(x * 1.4426950408889634 + 6755399441055744.0)) - 6755399441055744.0
    r = (x - k * 0.6931471803691238) - k * 1.9082149292705877e-10
    p = 2.5110037605963777e-08
    p = p * r + 2.763263963904103e-07
    p = p * r + 2.755724091857897e-06
    p = p * r + 2.4801485482328494e-05
    p = p * r + 0.00019841269890047113
    p = p * r + 0.0013888888952314775
    p = p * r + 0.008333333333319601
    p = p * r + 0.0416666666664881
    p = p * r + 0.1666666666666668
    p = p * r + 0.5000000000000019
    p = p * r + 1.0
    p = p * r + 1.0
    return p * bits_float((float_bits(k + 4503599627371519.0) & 0x7FF) << 52)


@inlined
def log_gamma(x: float) -> float:
    """Logarithm of the gamma function of a positive number below 1e30."""
    rising = (x * (x + 1.0) * (x + 2.0) * (x + 3.0)) * ((x + 4.0) * (x + 5.0) * (x + 6.0) * (x + 7.0))
    y = x + 8.0
    u = 1.0 / y
    v = u * u
    series = 1.0 / 156.0
    series = series * v - 691.0 / 360360.0
    series = series * v + 1.0 / 1188.0
    series = series * v - 1.0 / 1680.0
    series = series * v + 1.0 / 1260.0
    series = series * v - 1.0 / 360.0
    series = series * v + 1.0 / 12.0
    return (y - 0.5) * log(y) - y + _HALF_LOG_2_PI + series * u - log(rising)
