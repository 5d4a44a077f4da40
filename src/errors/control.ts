/** Errors of the area: control. */
export const controlErrors = {} as const;
