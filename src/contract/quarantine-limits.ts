/** Without a schema, for the console's first page. A quarantine ends at the latest with the day that is so many days ahead. */
export const maxQuarantineDays = 90;
export const maxQuarantineReasonLength = 500;
export const maxQuarantineOwnerLength = 200;
