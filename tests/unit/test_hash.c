/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Known answers. XXH3: the xxHash project's published sanity vectors (seed 0). splitmix64: Vigna's.
 */
#include <base/hash.h>
#include <support/cmocka.h>

struct vector_of_xxh3 {
    size_t length;
    uint64_t hash64;
    struct hash128 hash128;
};

static const struct vector_of_xxh3 vectors[] = {
    {0, UINT64_C(0x2d06800538d394c2), {UINT64_C(0x6001c324468d497f), UINT64_C(0x99aa06d3014798d8)}},
    {1, UINT64_C(0xC44BDFF4074EECDB), {UINT64_C(0xC44BDFF4074EECDB), UINT64_C(0xA6CD5E9392000F6A)}},
    {6, UINT64_C(0x27B56A84CD2D7325), {UINT64_C(0x3E7039BDDA43CFC6), UINT64_C(0x082AFE0B8162D12A)}},
    {12,
     UINT64_C(0xA713DAF0DFBB77E7),
     {UINT64_C(0x061A192713F69AD9), UINT64_C(0x6E3EFD8FC7802B18)}},
    {24,
     UINT64_C(0xA3FE70BF9D3510EB),
     {UINT64_C(0x1E7044D28B1B901D), UINT64_C(0x0CE966E4678D3761)}},
    {48,
     UINT64_C(0x397DA259ECBA1F11),
     {UINT64_C(0xF942219AED80F67B), UINT64_C(0xA002AC4E5478227E)}},
    {80,
     UINT64_C(0xBCDEFBBB2C47C90A),
     {UINT64_C(0x454AE6BF7A8A532D), UINT64_C(0xFDF2CEFDE9EAAC8A)}},
    {195,
     UINT64_C(0xCD94217EE362EC3A),
     {UINT64_C(0x3FB593C086A66075), UINT64_C(0x7729543A26B207EE)}},
    {403,
     UINT64_C(0xCDEB804D65C6DEA4),
     {UINT64_C(0xCDEB804D65C6DEA4), UINT64_C(0x1B6DE21E332DD73D)}},
    {512,
     UINT64_C(0x617E49599013CB6B),
     {UINT64_C(0x617E49599013CB6B), UINT64_C(0x18D2D110DCC9BCA1)}},
    {2048,
     UINT64_C(0xDD59E2C3A5F038E0),
     {UINT64_C(0xDD59E2C3A5F038E0), UINT64_C(0xF736557FD47073A5)}},
};

static void xxh3_gives_the_published_answers(void **state) {
    (void)state;
    unsigned char bytes[2048];
    uint64_t generator = 2654435761u; /* the sanity check's own bytes */
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (unsigned char)(generator >> 56);
        generator *= UINT64_C(11400714785074694797);
    }
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        struct hash128 hash = hash128(bytes, vectors[i].length);
        assert_int_equal(hash64(bytes, vectors[i].length), vectors[i].hash64);
        assert_int_equal(hash.low, vectors[i].hash128.low);
        assert_int_equal(hash.high, vectors[i].hash128.high);
    }
    assert_int_equal(hash64(NULL, 0), vectors[0].hash64);
}

static void a_digest_prints_its_high_half_first(void **state) {
    (void)state;
    char text[33];
    hash128_hex(hash128("", 0), text);
    assert_string_equal(text, "99aa06d3014798d86001c324468d497f");
    hash128_hex((struct hash128){.low = 1, .high = 0}, text);
    assert_string_equal(text, "00000000000000000000000000000001");
}

static void splitmix64_gives_the_published_answers(void **state) {
    (void)state;
    static const uint64_t expected[] = {
        UINT64_C(6457827717110365317), UINT64_C(3203168211198807973), UINT64_C(9817491932198370423),
        UINT64_C(4593380528125082431), UINT64_C(16408922859458223821)};
    uint64_t seed = 1234567;
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(splitmix64(&seed), expected[i]);
}

/* The constant was computed from the definition by another program. */
static void a_mix_depends_on_each_input(void **state) {
    (void)state;
    uint64_t mix = hash_mix(0xdeadbeef, 12, 3);
    assert_int_equal(mix, UINT64_C(0x7720906edfcbf6d1));
    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t flip = UINT64_C(1) << bit;
        const uint64_t changed[] = {hash_mix(0xdeadbeef ^ flip, 12, 3),
                                    hash_mix(0xdeadbeef, 12 ^ flip, 3),
                                    hash_mix(0xdeadbeef, 12, 3 ^ flip)};
        for (size_t i = 0; i < 3; i++) {
            int bits = __builtin_popcountll(mix ^ changed[i]);
            assert_in_range(bits, 12, 52); /* 32 on average, 4 a standard deviation */
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(xxh3_gives_the_published_answers),
        cmocka_unit_test(a_digest_prints_its_high_half_first),
        cmocka_unit_test(splitmix64_gives_the_published_answers),
        cmocka_unit_test(a_mix_depends_on_each_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
