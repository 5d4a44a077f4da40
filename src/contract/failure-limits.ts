/** Numbers of failures-api.ts for pages, which load without the schemas. */

/** Days that `days` counts, the present one included. */
export const failureDays = 14;
/** A scenario that has never passed may have more failed runs in a row than are counted. */
export const maxCountedFailures = 1000;
export const maxFailureNoteLength = 2000;
export const maxAssigneeLength = 100;
