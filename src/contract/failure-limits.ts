/** Numbers of failures-api.ts for pages, which load without the schemas. */

/** Days that `days` counts, the present one included. */
export const failureDays = 14;
export const maxFailureNoteLength = 2000;
export const maxAssigneeLength = 100;
