/* The sweep of a chain at rest, d = 1 and complete data, as a C programmer would write it: the yardstick of
   disnplbm/kernels/sweep.py. Arrays as in disnplbm/kernels/blocks.py. Returns how many items would move; the weights
   of the last item are left in `weight`. */
#include <math.h>

static long drawn(long slots, const double *weight, double alone, double uniform, double *cumulative)
{
    double best = alone, total = 0.0;
    for (long k = 0; k < slots; k++)
        best = weight[k] > best ? weight[k] : best;
    for (long k = 0; k < slots; k++) {
        if (weight[k] - best > -40.0)
            total += exp(weight[k] - best);
        cumulative[k] = total;
    }
    const double aim = uniform * (total + (alone - best > -40.0 ? exp(alone - best) : 0.0));
    for (long k = 0; k < slots; k++)
        if (aim < cumulative[k])
            return k;
    return slots;
}

long sweep_at_rest(long items, long groups, long slots, const int *labels, const double *mean, const double *scatter,
                   const double *cells, const double *alone, const double *mu, const double *psi, const double *slope,
                   const double *slope_out, const double *half_nu, const double *base, const double *own,
                   const double *uniforms, double psi0, double log_concentration, double *restrict weight,
                   double *restrict cumulative)
{
    long moves = 0;
    for (long i = 0; i < items; i++) {
        for (long k = 0; k < slots; k++)
            weight[k] = base[k];
        for (long g = 0; g < groups; g++) {
            const double x = mean[i * groups + g], q = scatter[i * groups + g];
            const double *m = mu + g * slots, *p = psi + g * slots, *s = slope + g * slots, *h = half_nu + g * slots;
            for (long k = 0; k < slots; k++) {
                const double difference = x - m[k];
                weight[k] -= h[k] * log(p[k] + q + s[k] * difference * difference);
            }
        }
        const int k = labels[i];
        double mine = own[k];
        for (long g = 0; g < groups; g++) {
            const double difference = mean[i * groups + g] - mu[g * slots + k];
            const double scale = psi[g * slots + k] - scatter[i * groups + g]
                + slope_out[g * slots + k] * difference * difference;
            mine += (half_nu[g * slots + k] - cells[g]) * log(scale > psi0 ? scale : psi0);
        }
        weight[k] = mine;
        long near = 0;
        for (long c = 0; c < slots; c++)
            near += weight[c] > mine - 40.0;
        if (near != 1 || log_concentration + alone[i] > mine - 40.0)
            moves += drawn(slots, weight, log_concentration + alone[i], uniforms[i], cumulative) != k;
    }
    return moves;
}

/* Logarithms over a buffer that stays in the first-level cache. */
void logarithms(long times, long size, const double *restrict from, double *restrict to)
{
    for (long t = 0; t < times; t++) {
        for (long i = 0; i < size; i++)
            to[i] = log(from[i]);
        __asm__ volatile("" : : "r"(to) : "memory");
    }
}
