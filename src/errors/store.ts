/** Errors of the area: store. */
export const storeErrors = {} as const;
