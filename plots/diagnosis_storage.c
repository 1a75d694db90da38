/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What Time to Live did, said beside whatever the cause of refusals is: it deletes in silence, and where it
 * should delete and does not it is silent as well.
 */
#include <plots/diagnosis_parts.h>

#include <plots/storage.h>
#include <stdlib.h>
#include <string.h>

#define SIZE(bytes) storage_size((char[48]){0}, (bytes))

static const char *entity_setting(struct diagnosis *d, const struct stored *stored,
                                  const char *key) {
    char *table = words_path_name(stored->table), *entity = words_path_name(stored->entity);
    const char *value =
        facts_setting(d, SAY(d, "tables.%s.entities.%s.ttl.%s", diagnosis_keep(d, table),
                             diagnosis_keep(d, entity), key));
    free(table);
    free(entity);
    return value;
}

static void say_deleted(struct diagnosis *d, const struct stored *stored) {
    if (stored->deleted == 0) return;
    struct finding *finding = diagnosis_remark(
        d,
        SAY(d, "%s items of %s in table %s were deleted by TTL (%s at the start, %s at the end).",
            COUNT(stored->deleted), stored->entity, stored->table, SIZE(stored->first_bytes),
            SIZE(stored->bytes)),
        "storage.deleted, bytes");
    diagnosis_amount(finding, "deleted_items", (double)stored->deleted);
    diagnosis_amount(finding, "first_bytes", stored->first_bytes);
    diagnosis_amount(finding, "bytes", stored->bytes);
}

static void say_silence(struct diagnosis *d, const struct storage *storage) {
    bool deleted = false;
    for (size_t i = 0; i < storage->count; i++)
        deleted |= storage->items[i].deleted > 0;
    if (deleted)
        diagnosis_remark(d,
                         "Deletes by TTL cost no units and refuse nothing: of the metrics "
                         "TimeToLiveDeletedItemCount alone shows them.",
                         "metric TimeToLiveDeletedItemCount");
}

static void say_expired(struct diagnosis *d, const struct stored *stored) {
    if (stored->expired == 0) return;
    struct finding *finding = diagnosis_remark(d,
                                               SAY(d,
                                                   "%s items of %s had expired and were still "
                                                   "there at the end: TTL is no timer. Until then "
                                                   "they are read, and paid for, like any others.",
                                                   COUNT(stored->expired), stored->entity),
                                               "storage.expired");
    diagnosis_amount(finding, "expired_items", (double)stored->expired);
}

static void say_ignored(struct diagnosis *d, const struct stored *stored) {
    const char *unit = entity_setting(d, stored, "unit");
    if (!unit || strcmp(unit, "milliseconds") != 0) return;
    struct finding *finding = diagnosis_remark(
        d,
        SAY(d,
            "Items of %s never expire: their TTL attribute counts milliseconds, and DynamoDB takes "
            "it for "
            "seconds, thousands of years ahead. It says nothing. %s items and %s at the end.",
            stored->entity, COUNT(stored->items), SIZE(stored->bytes)),
        "setting tables.*.entities.*.ttl.unit");
    diagnosis_amount(finding, "bytes", stored->bytes);
}

void storage_say(struct diagnosis *d) {
    struct storage storage;
    if (!diagnosis_check(d, storage_read(d->database, d->run.run_id, &storage, d->error))) return;
    for (size_t i = 0; i < storage.count && d->status == DDBSIM_OK; i++) {
        say_deleted(d, &storage.items[i]);
        say_ignored(d, &storage.items[i]);
    }
    say_silence(d, &storage);
    for (size_t i = 0; i < storage.count && d->status == DDBSIM_OK; i++)
        say_expired(d, &storage.items[i]);
    storage_clear(&storage);
}
