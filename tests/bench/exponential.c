/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ziggurat for exp(-x) with 256 layers of equal area (G. Marsaglia and W. W. Tsang, "The ziggurat
 * method for generating random variables", 2000). Benchmarks alone use it: its tables come from libm,
 * whose last bits differ between machines.
 */
#include "bench.h"

#include <math.h>

#define LAYERS 256
#define TAIL 7.69711747013104972 /* where the lowest layer's rectangle ends */
#define AREA 3.949659822581572e-3

struct exponential_layer exponential_layers[LAYERS];
static double edges[LAYERS + 1]; /* right edges, from the lowest layer up */

void exponential_init(void) {
    edges[0] = AREA * exp(TAIL);
    edges[1] = TAIL;
    for (int i = 2; i < LAYERS; i++)
        edges[i] = -log(exp(-edges[i - 1]) + AREA / edges[i - 1]);
    edges[LAYERS] = 0;
    for (int i = 0; i < LAYERS; i++) {
        exponential_layers[i].inside = (uint64_t)(edges[i + 1] / edges[i] * 0x1p53);
        exponential_layers[i].width = edges[i] * 0x1p-53;
    }
}

double exponential_tail(struct rng *rng, uint64_t draw) {
    for (;; draw = rng_next(rng)) {
        uint64_t i = draw & (LAYERS - 1), place = draw >> 11;
        double x = (double)place * exponential_layers[i].width;
        if (place < exponential_layers[i].inside) return x;
        double u = draw_unit_open(rng_next(rng));
        if (i == 0) return TAIL - log(u);
        double low = exp(-edges[i]), high = exp(-edges[i + 1]);
        if (low + u * (high - low) < exp(-x)) return x;
    }
}
