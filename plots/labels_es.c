/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The texts of pictures in Spanish. */
#include <plots/labels.h>

const char *const labels_es_texts[LABEL_KINDS] = {
    [LABEL_WRITE_ONE] = "escritura",
    [LABEL_WRITE_MANY] = "escrituras",
    [LABEL_READ_ONE] = "lectura",
    [LABEL_READ_MANY] = "lecturas",
    [LABEL_WRITE_UNIT] = "WCU",
    [LABEL_READ_UNIT] = "RCU",
    [LABEL_AT] = "a las {0}",
    [LABEL_BETWEEN] = "de {0} a {1}",
    [LABEL_TITLE_NO_DATA] = "No se registró nada en este tiempo",
    [LABEL_TITLE_NOTHING_REFUSED] = "No se rechazó nada",
    [LABEL_TITLE_PEAK] = "No se rechazó nada: {0} llega al {1} % del límite",
    [LABEL_TITLE_REFUSES] = "{0} rechaza {1} {2} {3}",
    [LABEL_TITLE_REFUSES_CALM] = "{0} rechaza {1} {2} {3} mientras la tabla usa {4} de {5} {6}/s",
    [LABEL_TITLE_PARTITION_REFUSES] = "{2}: la partición {0} de {1} rechaza {3} {4} {5}",
    [LABEL_TITLE_CAPACITY_PEAK] =
        "No se rechazó nada: {0} usa hasta el {1} % de su capacidad (medias de {2})",
    [LABEL_TITLE_CAPACITY_CUT] = "{0} rechaza {3} {4} {5}: un fallo le deja {1} {2}/s",
    [LABEL_TITLE_CAPACITY_REFUSES] = "{0} rechaza {3} {4} {5} con {1} {2} aprovisionadas",
    [LABEL_TITLE_ON_DEMAND_OUTGROWN] =
        "{0}, bajo demanda, rechaza {3} {4} {5}: se le pide más de los {1} {2}/s que sirve",
    [LABEL_TITLE_ON_DEMAND_GROWS] =
        "{0}, bajo demanda, rechaza {3} {4} {5}: crece de {1} a {6} {2}/s, y se le pide más",
    [LABEL_TITLE_ON_DEMAND_BELOW] =
        "{0}, bajo demanda, rechaza {3} {4} {5} por debajo de los {1} {2}/s que sirve",
    [LABEL_TITLE_TOKENS_EMPTY] = "La reserva de ráfaga de {0} está vacía {1}",
    [LABEL_TITLE_TOKENS_TWICE] =
        "La reserva de ráfaga de {0} se agota a las {1} y otra vez a las {2}",
    [LABEL_TITLE_TOKENS_TIMES] = "La reserva de ráfaga de {0} se agota {1} veces {2}",
    [LABEL_TITLE_TOKENS_KEPT] = "{0} rechaza {1} {2} {3} mientras conserva el {4} % de su reserva",
    [LABEL_TITLE_TOKENS_PARTITION] =
        "{0} rechaza {1} {2} {3} mientras conserva el {4} % de su reserva: "
        "una partición tiene un límite propio",
    [LABEL_TITLE_TOKENS_LEFT] =
        "Ninguna reserva de ráfaga se agota: {0} conserva al menos el {1} %",
    [LABEL_TITLE_TOKENS_NONE] = "No se registró ninguna reserva de ráfaga",
    [LABEL_TITLE_SPLITS] = "{0} se divide {1} veces {2}: de {3} a {4} particiones",
    [LABEL_TITLE_SPLITS_ONCE] = "{0} se divide una vez {2}: de {3} a {4} particiones",
    [LABEL_TITLE_SPLITS_NONE] = "Ninguna partición de {0} se divide",
    [LABEL_TITLE_SPLIT_REFUSED] =
        "Una partición caliente de {0} no se divide: no serviría (se vio {1})",
    [LABEL_TITLE_TOKENS_ON_DEMAND] = "{0} está bajo demanda: no se guarda nada para ráfagas",
    [LABEL_SUBTITLE_HEAT] =
        "Unidades/s consumidas por cada partición, en orden de clave, en tramos de {0}. El color "
        "pleno es el límite indicado a la derecha de cada banda",
    [LABEL_SUBTITLE_HEAT_BUSIEST] =
        "Unidades/s consumidas por cada partición, en orden de clave: los {1} más cargados de cada "
        "{0}. El color pleno es el límite indicado a la derecha de cada banda",
    [LABEL_SUBTITLE_CAPACITY] =
        "Capacidad consumida y aprovisionada: medias de {1}; el área pálida "
        "es el segundo más cargado de cada {0}",
    [LABEL_SUBTITLE_CAPACITY_ON_DEMAND] =
        "Capacidad consumida y la que se sirve bajo demanda: medias de {1}; el área pálida es el "
        "segundo más cargado de cada {0}",
    [LABEL_SUBTITLE_CAPACITY_MINUTES] =
        "Capacidad consumida y aprovisionada según lo registrado, en tramos de {0}",
    [LABEL_SUBTITLE_TOKENS] = "Capacidad sin usar guardada para ráfagas, la menor de cada {0}; la "
                              "línea discontinua es la reserva llena",
    [LABEL_SUBTITLE_LINEAGE] = "Las particiones desde que nacen hasta que se dividen, en orden de "
                               "clave; la mayor carga de "
                               "cada {0}. El color pleno es el límite indicado a la derecha",
    [LABEL_PROVENANCE] = "{0} · {1} · semilla {2}",
    [LABEL_PROVENANCE_SETTINGS] = "{0} y {1} más",
    [LABEL_FOOTER] = "ddbsim {0} · entrada {1}",
    [LABEL_TABLE_NAME] = "tabla",
    [LABEL_INDEX_NAME] = "índice",
    [LABEL_HEAT_LIMIT] = "límite {0} {1}/s",
    [LABEL_HEAT_LIMIT_RANGE] = "límite de {0} a {1} {2}/s",
    [LABEL_HEAT_LIMIT_EVENTUAL] = "límite {0} {1}/s, {2} con lectura eventual",
    [LABEL_HEAT_WHOLE_ROW] = "todo",
    [LABEL_HEAT_NOTCH] = "rechazos de una partición",
    [LABEL_HEAT_WHOLE] = "rechazos del conjunto",
    [LABEL_HEAT_WHOLE_SHORT] = "del conjunto",
    [LABEL_HEAT_ROWS_JOINED] = "{0} particiones en {1} filas, las calientes aparte",
    [LABEL_TITLE_COST_INDEX] = "{0}: una escritura cuesta {2} WCU en {1} y {3} en la tabla misma",
    [LABEL_TITLE_COST] = "Una escritura cuesta {1} WCU en {0}, y {2} más en sus índices",
    [LABEL_TITLE_COST_ALONE] = "Una escritura cuesta {1} WCU en {0}",
    [LABEL_TITLE_COST_NONE] = "No se sirvió ninguna escritura en este tiempo",
    [LABEL_SUBTITLE_COST] =
        "Unidades de una escritura servida, cada barra sobre la anterior: medias de {0} a {1}",
    [LABEL_COST_CARRIES] = "{0} WCU/s dan para {1} escrituras/s",
    [LABEL_COST_ALL] = "en total",
    [LABEL_COST_LOCAL] = "las paga la tabla",
    [LABEL_COST_UNITS] = "{0} WCU",
    [LABEL_INDEX_BUILT] = "construido de {0} a {1}",
    [LABEL_INDEX_BUILDING] = "en construcción desde {0}",
    [LABEL_INDEX_DELETED] = "borrado a las {0}",
    [LABEL_HEAT_NO_PARTITIONS] = "sin particiones registradas",
    [LABEL_HEAT_FULL] = "límite",
    [LABEL_HEAT_OVER] = "más del {0} %",
    [LABEL_THROTTLED_RATE] = "intentos rechazados/s",
    [LABEL_REFUSED] = "rechazado",
    [LABEL_REFUSED_COUNT] = "{0} rechazos",
    [LABEL_CONSUMED] = "consumida",
    [LABEL_SERVED_ON_DEMAND] = "bajo demanda {0}",
    [LABEL_PROVISIONED] = "capacidad {0}",
    [LABEL_TOKENS_FULL] = "llena {0}",
    [LABEL_TOKENS_EMPTY_AT] = "vacía {0}",
    [LABEL_TOKENS_NO_BURST] = "sin reserva de ráfaga registrada",
    [LABEL_LINEAGE_ONE] = "{0} partición",
    [LABEL_LINEAGE_COUNT] = "{0} particiones",
    [LABEL_LINEAGE_GREW] = "{0} particiones, luego {1}",
    [LABEL_LINEAGE_LEFT_OUT] = "se dibujan {0} de {1} divisiones; las posteriores, juntas",
    [LABEL_SPLIT_HEAT] = "división por calor",
    [LABEL_SPLIT_SIZE] = "por tamaño",
    [LABEL_SPLIT_CAPACITY] = "por capacidad",
    [LABEL_SPLIT_REFUSED] = "no dividida",
    [LABEL_MORE_RESOURCES] = "{0} más sin mostrar",
    [LABEL_TITLE_ALARM_RINGS] = "{0} suena {1}, {2}",
    [LABEL_TITLE_ALARMS_SILENT] = "Ninguna alarma suena y no se rechaza nada",
    [LABEL_TITLE_ALARMS_MUTE] = "Ninguna alarma suena mientras {0} rechaza {1} {2} {3}",
    [LABEL_SUBTITLE_ALARMS] =
        "Datos en % de su umbral (línea discontinua), cuando se midieron; debajo, el estado de la "
        "alarma, cuando se supo. En bermellón: rechazos de lo que vigila",
    [LABEL_ALARM_BEFORE] = "{0} antes del primer rechazo",
    [LABEL_ALARM_AFTER] = "{0} después del primer rechazo",
    [LABEL_ALARM_NO_REFUSAL] = "y no se rechaza nada",
    [LABEL_ALARM_NEVER] = "{0} nunca suena",
    [LABEL_ALARM_OTHER_NEVER] = "otra nunca suena",
    [LABEL_ALARMS_NEVER] = "otras {0} nunca suenan",
    [LABEL_ALARM_OF_SCALING] = "La alarma del autoescalado de {0} ({1})",
    [LABEL_ALARM_RINGS] = "suena {0}",
    [LABEL_ALARM_RINGS_BESIDE] = "suena {0}, {1}",
    [LABEL_ALARM_SILENT] = "nunca suena",
    [LABEL_ALARM_NO_DATA] = "nunca tiene datos",
    [LABEL_ALARM_FIRST_REFUSAL] = "primer rechazo {0}",
    [LABEL_TITLE_SCALED] =
        "{0}: {5} pidió a las {1}, la capacidad llegó a las {2}: {3} de rechazos",
    [LABEL_TITLE_SCALED_STEPS] = "{0}: {5} pidió {4} veces desde las {1}, lo "
                                 "suficiente llegó a las {2}: {3} de rechazos",
    [LABEL_TITLE_SCALED_LAST] = "{0}: {5} pidió a las {1}, cuando ya habían pasado {3} de rechazos",
    [LABEL_SCALING_LEGEND] = "Triángulos: se pide más o menos; punteado hasta que surte efecto",
    [LABEL_SCALING_REFUSED] = "cruces: AWS rechazó un cambio",
    [LABEL_SCALER_AUTO] = "el autoescalado",
    [LABEL_SCALER_OWN] = "su escalador",
    [LABEL_SCALER_CLOCK] = "su horario",
    [LABEL_SCALING_MIN] = "mín. {0}",
    [LABEL_SCALING_MAX] = "máx. {0}",
    [LABEL_TITLE_PLACEMENT_SHARED] = "{0} de las {1} claves más calientes de {2} comparten la "
                                     "partición {3} de {4}, que rechaza {5} {6}",
    [LABEL_TITLE_PLACEMENT_ONE] =
        "{0} es el {1} % de lo que sirve {2}: su partición, la {3} de {4}, rechaza {5} {6}",
    [LABEL_TITLE_PLACEMENT_NO_KEY] =
        "La partición {1} de {2} de {0} rechaza {3} {4}, y ninguna clave sola es caliente",
    [LABEL_TITLE_PLACEMENT_CALM] = "Las {0} claves más calientes de {1} caen en {2} de {3} "
                                   "particiones: la más llena está al {4} % de su límite",
    [LABEL_TITLE_PLACEMENT_EVEN] =
        "Ninguna clave de {0} destaca: su partición más llena está al {1} % de su límite",
    [LABEL_TITLE_PLACEMENT_NONE] = "No se registraron particiones de {0}",
    [LABEL_SUBTITLE_PLACEMENT] =
        "Unidades/s de cada partición sobre su tramo de hashes, y las claves más calientes donde "
        "cae su hash, con su parte. Discontinua: el límite de una partición",
    [LABEL_PLACEMENT_AXIS] = "Particiones en orden de clave, del hash más bajo al más alto",
    [LABEL_MONTHS] = "ene feb mar abr may jun jul ago sep oct nov dic",
};
