/** Errors of the area: command. */
export const commandErrors = {} as const;
