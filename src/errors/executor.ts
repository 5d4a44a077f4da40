/** Errors of the area: executor. */
export const executorErrors = {} as const;
