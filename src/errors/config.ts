/** Errors of the area: config. */
export const configErrors = {} as const;
