/** Without a schema, for the console's first page. */
export const maxStatusPageTitleLength = 80;
/** A page ends at the latest with the day that is so many days ahead. */
export const maxStatusPageDays = 366;
export const minStaleAfterS = 60;
export const maxStaleAfterS = 90 * 86_400;
/** The name of a suite, and its branch. */
export const maxSuiteTextLength = 200;
